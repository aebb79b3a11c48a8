package device_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/device"
)

var invalid = []string{" ", "k:", "k:No Schedule", "k:NoSchedule ", "-k:NoSchedule", "k for 5", "{", `{"key":"k","effect":1}`, "\x00"}

// untimed returns the taint without its time, which text does not keep.
func untimed(t device.Taint) device.Taint { return problem.Must(t.WithTimeAdded(time.Time{})) }

func timed(s string, at time.Time) device.Taint {
	return problem.Must(device.MustParseTaint(s).WithTimeAdded(at))
}

func unknown(key, value string) device.Taint { return taints(key + "=" + value + ":Future")[0] }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func taintContract() contract.Value[device.Taint] {
	return contract.Value[device.Taint]{
		Samples: device.Taints{
			{},
			unknown("ecc", "3"),
			problem.Must(unknown("ecc", "3").WithTimeAdded(noon)),
			taints("ecc:Other")[0],
			device.MustParseTaint("ecc=3:None"),
			device.MustParseTaint("ecc=3:NoSchedule"),
			device.MustParseTaint("ecc:NoExecute"),
			timed("ecc:NoExecute", time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)),
			timed("ecc:NoExecute", noon),
			timed("ecc:NoExecute", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)),
			device.MustParseTaint("ecc=3:NoExecute"),
			device.MustParseTaint("gpu.example.com/A_b.c-1=A_b.c-1:None"),
		},
		Invalid: append([]string{"k", "k=v", ":NoSchedule", "{}", `{"key":"k"}`, `{"key":"k","effect":"-"}`, "k:F,k:F"}, invalid...),
		Text:    untimed,
	}
}

func tolerationContract() contract.Value[device.Toleration] {
	return contract.Value[device.Toleration]{
		Samples: device.Tolerations{
			{},
			device.MustParseToleration("="),
			device.MustParseToleration("= for 3s"),
			device.MustParseToleration(":None"),
			device.MustParseToleration("=x:NoExecute"),
			device.MustParseToleration("op=Equal"),
			device.MustParseToleration("=x op=Equal"),
			device.MustParseToleration("op=Exists"),
			device.MustParseToleration("op=Exists for 3s"),
			device.MustParseToleration(":NoExecute op=Exists"),
			device.MustParseToleration("ecc"),
			device.MustParseToleration("ecc:NoExecute"),
			device.MustParseToleration("ecc:NoExecute for -9223372036854775808s"),
			device.MustParseToleration("ecc:NoExecute for -5s"),
			device.MustParseToleration("ecc:NoExecute for 0s"),
			device.MustParseToleration("ecc:NoExecute for 9223372036854775807s"),
			device.MustParseToleration("ecc=3 op=Equal"),
			device.MustParseToleration("op=x op="),
		},
		Invalid: append([]string{
			"k:NoSchedul", "k:PreferNoSchedule", "k op=Exist", "k op=Lt", "k=1 op=Gt", "k=v op=Exists", "=v op=Exists", "k=v op=", "op=",
			"k:NoExecute for s", "k ", `{"effect":"Future"}`, "null null",
		}, invalid...),
	}
}

// The types of the package have what every Go program expects.
func TestContract(t *testing.T) {
	t.Run("G1_Taint", taintContract().Test)
	t.Run("G2_Toleration", tolerationContract().Test)
	t.Run("G5_Taints", taintsContract().Test)
	t.Run("G5_Tolerations", tolerationsContract().Test)
	t.Run("G1_Effect", contract.Enum[device.Effect]{Names: map[device.Effect]string{
		0: "", device.None: "None", device.NoSchedule: "NoSchedule", device.NoExecute: "NoExecute",
	}}.Test)
	t.Run("G9_ID", contract.Result[device.ID]{Samples: []device.ID{{}, {"a", "b", "c"}, {"a", "", "bc"}}}.Test)
}

func taintsContract() contract.List[device.Taints, device.Taint] {
	return contract.List[device.Taints, device.Taint]{
		Samples: []device.Taints{
			nil,
			{device.MustParseTaint("ecc=3:NoExecute")},
			{device.MustParseTaint("ecc=3:NoExecute"), device.MustParseTaint("ecc=4:NoExecute"), unknown("ecc", "3")},
			{timed("ecc=3:NoExecute", noon)},
			{device.MustParseTaint("ecc=3:NoExecute"), device.MustParseTaint("ecc=3:NoExecute")},
		},
		Text: untimed,
		BadJSON: map[string][]string{
			`[{"key":"-a","effect":"None"},null,{"key":"a","value":"/"}]`:   {"[0].key InvalidKey", "[1] WrongType", "[2].value InvalidValue", "[2].effect EffectMissing"},
			`[{"key":1,"effect":"None","timeAdded":"noon"}]`:                {"[0].key WrongType", "[0].timeAdded WrongType"},
			`[{"key":"a","effect":"F","timeAdded":"0000-01-01T00:00:00Z"}]`: {"[0].effect NameUnknown", "[0].timeAdded TimeRange"},
			`[{"key":"b","effect":"Foo"},{"key":"a.","effect":"Foo"}]`:      {"[0].effect NameUnknown", "[1].key InvalidKey", "[1].effect NameUnknown"},
			`[null,{"key":"b","effect":"Foo"},{"key":"b","effect":"Foo"}]`:  {"[0] WrongType", "[1].effect NameUnknown", "[2].effect NameUnknown"},
			`[{"key":1,"key":null,"effect":"None"}]`:                        {"[0].key WrongType"},
			`[{"key":"a","effect":"not a name"}]`:                           {"[0].effect NameUnknown"},
			`{}`:                                                            {" WrongType"},
		},
		BadText: map[string][]string{
			"a:None,-b:None,c":         {"[1].key InvalidKey", "[2] Syntax"},
			device.Taints{{}}.String(): {"[0] Syntax"},
		},
	}
}

func tolerationsContract() contract.List[device.Tolerations, device.Toleration] {
	return contract.List[device.Tolerations, device.Toleration]{
		Samples: []device.Tolerations{
			nil,
			{device.MustParseToleration("op=Exists")},
			{device.MustParseToleration("="), device.MustParseToleration("=x"), device.MustParseToleration("ecc:NoExecute for 3s")},
			{device.MustParseToleration("ecc"), device.MustParseToleration("ecc")},
		},
		BadJSON: map[string][]string{
			`[{"key":"-a"},{"operator":"Lt","value":"5"},{"operator":"Exists","value":"x"}]`: {
				"[0].key InvalidKey", "[1].operator NameUnknown", "[2].value ExistsValue"},
			`[{},null,{"operator":1,"value":"/","tolerationSeconds":"1"}]`: {"[1] WrongType", "[2].operator WrongType", "[2].tolerationSeconds WrongType"},
			`[{"effect":"PreferNoSchedule"},{"effect":"Future"}]`:          {"[0].effect NameUnknown", "[1].effect NameUnknown"},
			`[{"operator":1,"operator":null,"value":"/"}]`:                 {"[0].operator WrongType"},
			`"="`: {" WrongType"},
		},
		BadText: map[string][]string{
			"=,a op=Gt,":                    {"[1].operator NameUnknown", "[2] Syntax"},
			device.Tolerations{{}}.String(): {"[0] Syntax"},
		},
	}
}
