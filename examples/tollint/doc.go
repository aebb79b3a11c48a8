// Tollint finds mistakes in the tolerations and taints of Kubernetes manifests.
// It can fix many of them, and changes only the bytes that are wrong.
//
//	tollint deploy/                                  # all .yaml, .yml and .json files below
//	kubectl get deployments -A -o yaml | tollint     # standard input
//	kubectl get nodes,pods -A -o json | tollint -cluster
//	helm template chart | tollint -policy policy.yaml
//	tollint -fix deploy/web.yaml                     # fix the file
//	tollint -fix -diff deploy/web.yaml               # only show what would be fixed
//	tollint -o sarif . >tollint.sarif                # for code hosts and editors
//	tollint                                          # on a terminal: check a sample
//
// # Input
//
// For a directory, tollint reads all .yaml, .yml and .json files below it,
// including hidden ones, as kubectl -R does. It reads YAML with several documents
// and JSON with several values.
//
// It finds tolerations in pods, in the pod templates of Deployments,
// StatefulSets, DaemonSets, ReplicaSets, Jobs, CronJobs and custom resources, in
// Lists, and in the values of charts. It finds the taints of nodes, and of
// objects that create nodes: taints and startupTaints of NodePools, MachineSets
// and similar objects (which may use the spelling of a cloud, NO_SCHEDULE), the
// kubelet's registerWithTaints, and nodeTaints of Kueue's flavors. It ignores
// other fields with these names, such as those of a schema, the tolerations of a
// device claim, or a Kyverno pattern. It does not read manifests within strings,
// such as kustomize's inline patches.
//
// It reads a document as kubectl does, with sigs.k8s.io/yaml. That is YAML 1.1: a
// value such as yes, 0x1F or 1.5 without quotes is not a string. Anchors, aliases
// and merge keys are resolved, also in keys. Unknown and duplicate fields are
// mistakes, as in kubectl's strict validation. A document after a document end
// marker (...), which kubectl does not read, is checked too. A line that only some
// tools take as the end of a document (---#) is a failure.
//
// A document that is not YAML because it is a template is skipped, and so is a list
// with an expression ({{ .Values.x }} or ${X}): check the output of the template
// instead. Skipped input is reported; it is an error only with a policy. An
// element that is only the directive of a patch ($patch) is ignored.
//
// Empty input is a failure. So is a named file or a directory without a manifest,
// because the program that should have written it may have failed. A manifest is
// an object with a kind, or a document with a list of tolerations or taints.
//
// An input can have up to 64 MiB, 20,000 documents, 8 million values (1 million in
// one line), 1,000 levels, and 200,000 tolerations and taints, up to 10,000 of them
// in one list. Resolved aliases can add up to 16 MiB. Larger input is a failure.
//
// # Findings
//
//	invalid  error  the API server rejects it: all problems, each with its field
//	policy   error  the policy rejects it, with a taint that shows why
//
// The other rules are the checks of package match/lint. The -rules flag lists
// them. DaemonSets may tolerate everything.
//
// With -cluster, all inputs together are one cluster. Tollint then also reports
// tolerations that match no taint of a node, or of an object that creates nodes,
// and taints that no pod tolerates. It reports them with any severity, each at its
// first occurrence.
//
// Findings below the severity warning are reported only with -severity info, or if
// -enable names their rule. The flags -enable and -disable select rules. A comment
// beside a toleration, or in the line above it, suppresses all its findings, or
// those of some rules:
//
//	# tollint:ignore tolerates-everything: a backup agent
//	- operator: Exists
//
// # Policies
//
// The -policy flag names a file, YAML or JSON, in the form of package
// toleration/policy:
//
//	allow:
//	- taints: [{operator: Exists}] # everything that is not denied
//	deny:
//	- name: control-plane
//	  message: contact the platform team
//	  taints:
//	  - {key: node-role.kubernetes.io/control-plane, operator: Exists}
//	  - {key: node-role.kubernetes.io/master, operator: Exists}
//
// A wildcard, an absent effect or a range does not evade a policy. With a policy,
// findings of the rules policy and invalid are reported whatever comments and flags
// say, and what cannot be checked is a failure:
//
//   - a document that the strict form of kubectl's conversion rejects, such as one
//     that sets a merged field again, or one that is not an object
//   - a template, and an expression ({{ x }} or ${X}) as a key, or in place of a
//     document, an item, a spec, a template or tolerations; an expression in
//     another value is part of that value
//   - tolerations of custom resources that are not a list of mappings
//   - tolerations or a whitelist of a namespace that cannot be read
//
// The tolerations that PodTolerationRestriction adds to the pods of a namespace
// (annotation scheduler.alpha.kubernetes.io/defaultTolerations) are checked too. A
// policy file is one document.
//
// # Fixes
//
// With -fix, tollint fixes invalid tolerations and taints if only one fix is
// possible: it adds quotes to a value or key that needs them, removes quotes from
// seconds, and corrects names that differ only by case, '_' or '-'. It also applies
// the fixes of package match/lint after which the list means the same. With
// -fix=all, it applies the other fixes too: for example, Exists in place of an
// empty value, or a new key in place of an outdated one.
//
// Comments, order, quotes, line ends and all other text do not change. Each change
// is made in a copy first, which is read again. The change is kept if the rest of
// the document is the same, the finding is gone, and there is no new one. (An
// invalid element hides other findings of its list, so these can appear.) Changes
// that conflict are not made. If a file has been read again too often, the rest is
// a failure. What cannot be changed safely is only reported: lists with anchors or
// behind aliases, and scalars with several lines.
//
// A file is replaced in one step. Fixed standard input is written to standard
// output, and its findings to standard error. Fixes are for manifests: the API
// server does not allow to remove tolerations from an existing pod.
//
// # Output
//
// Text output has the file, line and column (in characters), severity, message and
// rule; the object and the path of the field; and the fix. With -o json, the output
// is one object:
//
//	findings[]  file, line, column, severity, rule, object, path, message, fix
//	fixed[]     the same, with -fix: findings that were fixed
//	skipped[]   file, line, message
//	failures[]  the same: input that could not be read, or output not written
//	summary     files, lists, errors, warnings, infos
//
// Later versions may add names. With -o sarif, the output is a log of SARIF 2.1.0,
// with the changes of -fix=all as the fixes of its results.
//
// # Exit status
//
// The exit status is 0 if nothing was found, or everything was fixed; 1 if
// something was found, or -diff shows a change; and 2 if something could not be
// read or written, there was no manifest, or the flags are wrong. Everything that
// can be read is checked in any case.
package main
