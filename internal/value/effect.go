package value

// EffectNames are the names of the effects by their numbers.
var EffectNames = []string{"", "NoSchedule", "PreferNoSchedule", "NoExecute"}

// EffectOf returns the number of the effect with that name, 0 when there is
// none.
func EffectOf(name string) uint8 {
	switch name {
	case "NoSchedule":
		return 1
	case "PreferNoSchedule":
		return 2
	case "NoExecute":
		return 3
	}
	return 0
}
