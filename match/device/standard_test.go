package device_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

var invalid = []string{" ", "k:", "k:No Schedule", "k:NoSchedule ", "-k:NoSchedule", "k for 5", "{", `{"key":"k","effect":1}`, "\x00"}

// untimed returns the taint without its time, which text does not keep.
func untimed(t device.Taint) device.Taint { return must(t.WithTimeAdded(time.Time{})) }

func timed(s string, at time.Time) device.Taint {
	return must(device.MustParseTaint(s).WithTimeAdded(at))
}

func unknown(key, value string) device.Taint { return taints(key + "=" + value + ":Future")[0] }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func taintContract() contract.Value[device.Taint] {
	return contract.Value[device.Taint]{
		Samples: device.Taints{
			{},
			unknown("ecc", "3"),
			must(unknown("ecc", "3").WithTimeAdded(noon)),
			device.MustParseTaint("ecc:NoExecute"),
			timed("ecc:NoExecute", time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)),
			timed("ecc:NoExecute", noon),
			timed("ecc:NoExecute", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)),
			device.MustParseTaint("ecc=3:NoExecute"),
			device.MustParseTaint("ecc=3:NoSchedule"),
			device.MustParseTaint("ecc=3:None"),
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
			device.MustParseToleration("ecc:NoExecute").WithSeconds(math.MaxInt64),
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
	taints, tolerations := taintContract(), tolerationContract()
	t.Run("G1_Taint", taints.Test)
	t.Run("G2_Toleration", tolerations.Test)
	taints.Samples, tolerations.Samples = device.Taints{{}}, device.Tolerations{{}}
	for i := range 32 {
		taints.Samples = append(taints.Samples, gen.DeviceTaint().Example(i))
		tolerations.Samples = append(tolerations.Samples, gen.DeviceToleration().Example(i))
	}
	slices.SortFunc(taints.Samples, device.Taint.Compare)
	slices.SortFunc(tolerations.Samples, device.Toleration.Compare)
	taints.Samples, tolerations.Samples = slices.Compact(taints.Samples), slices.Compact(tolerations.Samples)
	t.Run("G1_Taint_generated", taints.Test)
	t.Run("G2_Toleration_generated", tolerations.Test)
	t.Run("G5_Taints", taintsContract().Test)
	t.Run("G5_Tolerations", tolerationsContract().Test)
	t.Run("G8_Decision", contract.Result[device.Decision]{Samples: decisions()}.Test)
	t.Run("G12_Explanation", contract.Result[device.Explanation]{Samples: explanations()}.Test)
	t.Run("G9_ID", contract.Result[device.ID]{Samples: []device.ID{{}, {"a", "b", "c"}, {"a", "", "bc"}}}.Test)
}

func decisions() []device.Decision {
	taint, u := timed("ecc:NoExecute", noon), device.MustParseToleration("ecc:NoExecute for 3s")
	return []device.Decision{
		{},
		{Kind: eviction.Due, Deadline: noon, Taint: taint},
		{Kind: eviction.At, Deadline: noon, Taint: taint},
		{Kind: eviction.At, Deadline: noon, Device: 1, Taint: taint},
		{Kind: eviction.At, Deadline: noon, Device: 1, Rule: true, Taint: taint},
		{Kind: eviction.At, Deadline: noon, Taint: taint, Toleration: u},
		{Kind: eviction.At, Deadline: time.Unix(math.MaxInt64-62135596800, 0).UTC(), Taint: taint, Toleration: u},
	}
}

func explanations() []device.Explanation {
	pod := device.Tolerations{device.MustParseToleration("ecc=3"), device.MustParseToleration("hot:NoExecute for 30s"), device.MustParseToleration("op=Exists for 1s")}
	list := device.Taints{
		device.MustParseTaint("ecc=4:NoExecute"), device.MustParseTaint("ecc=3:NoExecute"), device.MustParseTaint("hot:NoExecute"),
		device.MustParseTaint("x:NoSchedule"), device.MustParseTaint("x:None"), unknown("x", ""), {},
	}
	all := []device.Explanation{{}}
	for _, one := range list {
		all = append(all, device.Explain(one, pod[:2]), device.ExplainEviction(one, pod))
	}
	return all
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
