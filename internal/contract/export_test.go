package contract

var Evaluate = evaluate
