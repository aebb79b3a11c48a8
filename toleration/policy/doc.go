// Package policy decides which tolerations a pod may have, by allow and deny clauses
// about the taints that they match.
//
//	p, err := policy.Decode(file)
//	…
//	err = p.Check(pod, "spec.tolerations") // every toleration that is refused, with its path
//	v := p.Judge(pod[0]) // v.Allowed, v.Clause, v.Witness
//
// A policy file is a JSON object with two lists of clauses:
//
//	{
//	  "allow": [
//	    {"taints": [{"key": "dedicated", "value": "team-a"}, {"key": "cores", "operator": "Gt", "value": "0"}]},
//	    {"taints": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}],
//	     "maxSeconds": 3600}
//	  ],
//	  "deny": [
//	    {"name": "huge-nodes",
//	     "message": "contact the platform team",
//	     "taints": [{"key": "cores", "operator": "Gt", "value": "64"}],
//	     "except": [{"key": "cores", "value": "96", "effect": "PreferNoSchedule"}]}
//	  ]
//	}
//
// The clause {"taints": [{"operator": "Exists"}]} allows everything that is not denied.
//
// # Rules
//
//  1. A clause is about the taints that match one of its taints and none of its
//     exceptions, written as tolerations.
//  2. A toleration is refused if it tolerates a valid taint that a deny clause is about,
//     even if no node has it. op=Exists tolerates every taint.
//  3. A toleration is refused unless the allow clauses, together, are about every taint
//     that it tolerates.
//  4. A clause with maxSeconds is about NoExecute only: a deny clause refuses longer
//     tolerations, and an allow clause does not allow them.
//  5. Each toleration is judged alone. One that matches no taint is allowed; the zero
//     Toleration is refused.
//
// Unknown and repeated fields, a taint without a value and an operator, taints that no
// node can have, repeated names, and deny clauses without an allow clause are errors:
// [validate.Problems].
//
// For the whitelists of namespaces, use package admission.
package policy
