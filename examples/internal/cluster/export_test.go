package cluster

var CheckNames = checkNames
