//go:build k138

package upstream

const From138 = true
