// Tollint finds mistakes in the tolerations and taints of Kubernetes manifests,
// and mends many of them, in the lines at fault alone.
//
//	tollint deploy/                                  # every .yaml, .yml and .json file below
//	kubectl get deployments -A -o yaml | tollint     # standard input
//	kubectl get nodes,pods -A -o json | tollint -cluster
//	helm template chart | tollint -policy policy.yaml
//	tollint -fix deploy/web.yaml                     # mend
//	tollint -fix -diff deploy/web.yaml               # only show what would be mended
//	tollint -o sarif . >tollint.sarif                # for code hosts and editors
//	tollint                                          # on a terminal: a sample
//
// # What is read
//
// YAML, of several documents too, and JSON, of several values too. Lists of
// tolerations are found wherever they stand: in pods, in the templates of
// Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs, CronJobs and custom
// resources, in Lists, and in the values of charts. So are the taints of nodes
// and of what makes nodes: taints and startupTaints of NodePools, MachineSets
// and the like, where the spellings of the clouds (NO_SCHEDULE) are right, the
// kubelet's registerWithTaints, and nodeTaints of Kueue's flavors. What has these
// names and is something else, such as a schema, the tolerations of a device claim
// or a pattern of Kyverno's, is left alone. Manifests within strings, such as
// kustomize's inline patches, are not read.
//
// Scalars mean what Kubernetes' own tools take them for. That is YAML 1.1: a
// value such as yes, 0x1F or 1.5 is no string without quotes. Anchors, aliases
// and merge keys are followed. Fields that a toleration does not have, and fields
// that stand twice, are mistakes, as in kubectl's strict validation.
//
// A document that is no YAML because it is a template is skipped, as is a list
// in which something is still to be filled in ({{ .Values.x }} or ${X}): run
// what the template makes. That is told, and is no error. The directive of a
// patch ($patch, by itself) is passed over.
//
// An input may have up to 64 MiB, and 1,000 levels.
//
// # What is found
//
//	invalid  error  what the API server refuses: all problems, each with its field
//	policy   error  what the policy file refuses, with a taint that shows why
//
// and the rules of package match/lint, which that package explains: never-matches,
// suppresses-default, shadowed, redundant, tolerates-everything,
// open-to-every-node, equal-empty-value, outdated-key and no-time. The -rules
// flag lists them. Daemon sets may tolerate everything.
//
// With -cluster all inputs together are a whole cluster, and unneeded-toleration
// and untolerated-taint are looked for too: tolerations that no taint of a node,
// or of what makes nodes, needs, and taints that no pod tolerates. They are told
// whatever the severity, each where it stands first.
//
// Findings below the severity warning are told only when -severity info, or
// -enable with their rule, asks for them. -enable and -disable choose rules. A
// comment beside a toleration, or in the line above it, keeps its findings from
// being told, all of them or those of some rules; with a policy, those of the
// rules policy and invalid are told nevertheless:
//
//	# tollint:ignore tolerates-everything: a backup agent
//	- operator: Exists
//
// # Policies
//
// -policy names a file, YAML or JSON, in the form of package toleration/policy:
//
//	deny:
//	- name: control-plane
//	  message: ask the platform team
//	  taints:
//	  - {key: node-role.kubernetes.io/control-plane, operator: Exists}
//
// A wildcard, an absent effect or a range does not slip past it.
//
// # Mending
//
// -fix mends what is not valid where only one thing can be meant: quotes around
// a value or key that needs them, none around seconds, and the right spelling of
// names that differ by case, '_' or '-' alone. And it mends what package
// match/lint finds where the list means the same afterwards. With -fix=all, also
// where it does not: Exists in place of an empty value, or a new key in place of
// an outdated one.
//
// Only the bytes at fault change: comments, order, quotes, the ends of lines and
// all other text stay as they are. Every change is made in a copy first, which
// is read again: it is kept if the document says the same but for what was to be
// mended, the finding is gone, and no other has come. (An element that was not
// valid could not be looked at, so that new findings in its list may come to
// light.) What is written in a way that this cannot be sure of is only told: lists
// that have anchors or stand behind aliases, or scalars of several lines.
//
// A file is replaced in one step. Standard input goes mended to standard output,
// and the findings to standard error. A fix is for manifests: the API server
// refuses to take tolerations from a pod that is there.
//
// # Output
//
// Text tells file, line and column (in characters), severity, message and rule;
// the object and the path of the field; and what to do. With -o json the output
// is one object:
//
//	findings[]  file, line, column, severity, rule, object, path, message, fix
//	fixed[]     likewise, with -fix: what is gone
//	skipped[]   file, line, message
//	failures[]  likewise: what could not be read or written
//	summary     files, lists, errors, warnings, infos
//
// Names may be added to it. With -o sarif it is a log of SARIF 2.1.0, with the
// changes that -fix=all makes as fixes of its results.
//
// # Exit status
//
// It is 0 when nothing was found, or nothing is left after mending; 1 when
// something was found, or -diff shows something; and 2 when something could not
// be read or written or the flags are wrong. What can be read is judged
// nevertheless.
package main
