//go:build !k138

package upstream

// From138 reports whether this is version 1.38 or a later one.
const From138 = false
