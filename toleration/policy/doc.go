// Package policy decides which tolerations a pod may have, by clauses that allow or deny to
// tolerate taints.
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
//  1. The taints and exceptions of a clause are written as tolerations. A clause applies to
//     a taint if one of its taints matches it, and none of its exceptions does.
//  2. A toleration is refused if it tolerates a valid taint to which a deny clause without
//     maxSeconds applies, even if no node has the taint. op=Exists tolerates every taint,
//     so any such clause refuses it.
//  3. A toleration is refused unless an allow clause applies to each taint that it
//     tolerates. Several clauses can allow a toleration together.
//  4. A clause with maxSeconds applies to NoExecute only. It denies longer tolerations, or
//     allows others.
//  5. Each toleration is judged alone. One that matches no taint is allowed; the zero
//     Toleration is refused.
//
// These are errors ([validate.Problems]): unknown and repeated fields, a taint without a
// value and an operator, taints that no node can have, repeated names, deny clauses without
// an allow clause, and more than 4,096 tolerations in all clauses.
//
// For the whitelists of namespaces, use package admission.
package policy
