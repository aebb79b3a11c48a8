package cluster

var Check = check
