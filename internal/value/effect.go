package value

import "slices"

// EffectNames are the names of the effects by their numbers.
var EffectNames = []string{"", "NoSchedule", "PreferNoSchedule", "NoExecute"}

// EffectOf returns the number of the effect with that name, 0 when there is
// none.
func EffectOf(name string) uint8 { return uint8(max(slices.Index(EffectNames, name), 0)) }
