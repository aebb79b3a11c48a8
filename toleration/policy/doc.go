// Package policy says whether a pod may carry a toleration: by allow and deny
// rules about taints, which hold however the toleration is written.
//
//	p, err := policy.Decode(file)
//	err = p.Check("spec.tolerations", pod)      // for admission: all that is refused, with paths
//	v := p.Judge(u)                             // for tools: the verdict, the rule, a witness
//
// # Policy files
//
// A policy is a JSON object with two lists of rules, both optional:
//
//	{
//	  "allow": [
//	    {"taints": [{"key": "dedicated", "value": "team-a"}, {"key": "cores", "operator": "Gt", "value": "0"}]},
//	    {"taints": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}],
//	     "maxSeconds": 3600}
//	  ],
//	  "deny": [
//	    {"name": "huge-nodes",
//	     "message": "ask the platform team",
//	     "taints": [{"key": "cores", "operator": "Gt", "value": "64"}],
//	     "except": [{"key": "cores", "value": "96", "effect": "PreferNoSchedule"}]}
//	  ]
//	}
//
// # Rules
//
//  1. A rule is about a set of taints, told in the API's shape of tolerations:
//     those that one of its taints matches and none of its except does. So one
//     taint is a key, a value and an effect; {"operator": "Exists"} is every
//     taint; and Gt and Lt name the integers above and below a number.
//  2. A toleration is refused when a deny rule is about some valid taint that it
//     tolerates, whether or not a node bears that taint: op=Exists tolerates
//     every taint, an absent effect three, and cores=16 op=Gt those above 16.
//  3. When there are allow rules, a toleration is refused unless they are about
//     every taint that it tolerates; several may do so together. Without allow
//     rules, an empty list too, all is allowed that is not denied: to allow
//     nothing, deny {"operator": "Exists"}. Deny rules always win.
//  4. A rule with maxSeconds is also about time, for the effect NoExecute only:
//     a deny rule denies tolerating its taints for longer, an allow rule allows
//     tolerating them for as long at most. Without seconds a toleration holds
//     for good, which is longer than any number of them; a negative number
//     counts as zero. The greatest number denies only tolerating for good.
//  5. Every toleration is judged alone. What tolerates no taint, such as k=0
//     op=Lt or the zero Toleration, is allowed.
//
// The answers are exact: they are decided, by the argument of package cover, not
// sampled. A refusal has a proof that can be shown, a witness: a taint that the
// toleration tolerates and must not.
//
// A policy refuses what could be misread: a taint without value and operator
// ("key": "dedicated" alone is the empty value, not any), a rule without
// taints, one whose taints no node can bear, seconds in the taints of a rule,
// and fields that it does not know.
//
// Which policy holds for which namespace or user is for the caller to choose;
// so is when to ask again. [Policy.CheckUpdate] lets a pod keep what it had.
//
// # Differences from Kubernetes
//
// Kubernetes has allow lists alone, as an annotation of a namespace, and judges
// by single tolerations that cover: three that have one effect each do not
// allow an absent effect, and "key": "k" with "operator": "Gt" never allows a
// value. Policies that compare the fields of tolerations, as those written for
// general engines do, are got round with op=Exists.
//
// Who only has the annotation of a namespace to follow uses package admission.
package policy
