// Package lint is the command lint: it finds mistakes in the tolerations and taints of
// manifests, and can fix many of them without a change of any other byte.
//
// A file is read twice: by kubectl's reader, whose values are checked, and by a reader
// that keeps positions, which is used for these and for fixes. A fix is made in a copy
// first and kept if kubectl's reader then returns exactly the intended values.
package lint

const examplePolicy = `  allow:
  - taints: [{operator: Exists}]
  deny:
  - taints: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
`

const help = `Find mistakes in the tolerations and taints of manifests, in JSON or YAML.

It reads tolerations of pods, of the pod templates of workloads and custom
resources, and in the values of charts; and taints of nodes and of objects that
create nodes, such as machine sets, node pools and instance groups. A template
is skipped: check its output. With --policy, what cannot be checked, such as a
template, is a failure.

A comment beside a toleration, or above it, suppresses its findings: all, or
those of the rules that it names. With --policy, it does not suppress invalid,
misplaced and policy.

  # tolerate:ignore tolerates-everything: a backup agent
  - operator: Exists

A policy states what pods may tolerate. This one allows all but control planes:

` + examplePolicy + `
--fix corrects what is certain, such as letter case and quotes, and makes changes
that keep the meaning of the list. --fix=all also corrects probable misspellings
and makes the other fixes. Comments and layout are unchanged. The tolerations of
a running pod cannot be removed.

The exit status is 0 if nothing was found, 1 if something was found, and 2 if
something could not be read, written or checked. What --fix has fixed does not
count for the exit status; what --diff would fix does.`
