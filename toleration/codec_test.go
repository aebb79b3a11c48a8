package toleration_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

func TestParse_errors(t *testing.T) {
	for text, want := range map[string]string{ // K3
		"": " Syntax", "k op= ": "operator NameUnknown", "k:NoExecute for 5": " Syntax", "k for 5s": "tolerationSeconds SecondsEffect",
		":NoExecute": "key KeyMissing", "k=v op=Exists": "value ExistsValue", "k:NoSchedule:NoExecute": "effect NameUnknown", "k\n": "key InvalidKey",
	} {
		got, err := toleration.Parse(text)
		if reports := strings.Join(contract.Reports(err), ", "); !got.IsZero() || reports != want {
			t.Errorf("Parse(%q) = %v, %v, want the problem %s", text, got, err, want)
		}
	}
	if _, ok := contract.Panic(func() { toleration.MustParse("k op=") }).(validate.Problems); !ok {
		t.Error("MustParse of bad text does not panic with the problems")
	}
}

func TestUnmarshalJSON(t *testing.T) {
	t.Run("K4_property", rapid.MakeCheck(jsonProperty))
	var got toleration.Toleration
	if err := json.Unmarshal([]byte(`"k:NoExecute for 5s"`), &got); err != nil || got != toleration.MustParse("k:NoExecute for 5s") {
		t.Errorf("K5: the text in JSON is read as %v, %v", got, err)
	}
	for data, want := range map[string]string{
		`"op=exists"`: `("op=exists"): unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)`,
		`{"tolerationSeconds":"1","value":true,"key":"-"}`: strings.Join([]string{
			`: key "-": the name must begin and end with a letter or digit`, `: value true: must be a string, so put it in quotes`,
			`: tolerationSeconds "1": must be a whole number within int64, so write it without quotes: 1`}, "\n"),
	} {
		err := json.Unmarshal([]byte(data), &got)
		if want = prefixed("toleration.Toleration.UnmarshalJSON", want); err == nil || err.Error() != want {
			t.Errorf("V10: Unmarshal(%s): %v, want\n%s", data, err, want)
		}
	}
}

// prefixed puts the prefix before each line.
func prefixed(prefix, lines string) string {
	return prefix + strings.ReplaceAll(lines, "\n", "\n"+prefix)
}

// The properties are cheap.
func TestMain(m *testing.M) { gen.Main(m, 300) }

// jsonProperty compares UnmarshalJSON and Decode with encoding/json, member by member, so
// that names are case-sensitive in both. A fuzzer seldom makes objects with repeated
// members and nulls.
func jsonProperty(t *rapid.T) {
	data := []byte(gen.TolerationJSON().Draw(t, "json"))
	before := toleration.MustParse("before")
	got := before
	err := got.UnmarshalJSON(data)
	binary := before
	if berr := binary.UnmarshalBinary(data); (berr == nil) != (err == nil) || binary != got {
		t.Fatalf("K5: UnmarshalBinary(%q) = %v, %v beside %v, %v", data, binary, berr, got, err)
	}
	if err != nil && got != before {
		t.Fatalf("K5: UnmarshalJSON(%q) leaves %v behind %v", data, got, err)
	}
	list, _, listErr := toleration.Decode([]byte("["+string(data)+"]"), toleration.DecodeOptions{})
	if (listErr == nil) != (err == nil) || listErr != nil && list != nil || listErr == nil && !slices.Equal(list, toleration.List{got}) {
		t.Fatalf("K4: Decode of %q = %v, %v beside %v, %v", data, list, listErr, got, err)
	}
	m, _ := plain.Object(data, "tolerationSeconds")
	field := func(name string) (text string, ok bool) {
		text, ok = m[name].(string)
		return text, ok || m[name] == nil
	}
	key, ok1 := field("key")
	op, ok2 := field("operator")
	value, ok3 := field("value")
	effect, ok4 := field("effect")
	seconds, ok5 := (*int64)(nil), m["tolerationSeconds"] == nil
	if number, ok := m["tolerationSeconds"].(json.Number); ok {
		n, err := number.Int64()
		seconds, ok5 = &n, err == nil
	}
	_, fromErr := toleration.From(key, op, value, effect, seconds)
	want := ok1 && ok2 && ok3 && ok4 && ok5 && fromErr == nil
	if (err == nil) != want {
		t.Fatalf("K4: UnmarshalJSON(%q) = %v, %v, want accepted: %t", data, got, err, want)
	}
	if err == nil {
		n, timed := got.Seconds()
		if got.Key() != key || got.Operator().String() != op || got.Value() != value || got.Effect().String() != effect || timed != (seconds != nil) || timed && n != *seconds {
			t.Errorf("K4: UnmarshalJSON(%q) = %v", data, got)
		}
	}
}

// Each type of the package has what every Go program expects of a value.
func TestContract(t *testing.T) {
	t.Run("K5_Toleration", tolerations().Test)
	t.Run("K5_Operator", contract.Enum[toleration.Operator]{Names: map[toleration.Operator]string{
		0: "", toleration.Equal: "Equal", toleration.Exists: "Exists", toleration.Lt: "Lt", toleration.Gt: "Gt",
	}}.Test)
	t.Run("K5_Choice", contract.Enum[toleration.Choice]{Names: map[toleration.Choice]string{
		toleration.First: "First", toleration.Shortest: "Shortest", toleration.Longest: "Longest",
		toleration.ForeverElseShortest: "ForeverElseShortest",
	}}.Test)
}

func tolerations() contract.Value[toleration.Toleration] {
	forever := toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists")
	return contract.Value[toleration.Toleration]{
		Samples: toleration.List{
			{},
			toleration.MustParse("op=Exists"),
			toleration.MustParse(":NoExecute op=Exists"),
			toleration.MustParse("cores=16 op=Lt"),
			toleration.MustParse("cores=-9223372036854775808:NoSchedule op=Gt"),
			toleration.MustParse("dedicated"),
			toleration.MustParse("dedicated=gpu:NoSchedule"),
			toleration.MustParse("dedicated=gpu:NoSchedule op=Equal"),
			forever,
			problem.Must(forever.WithSeconds(math.MinInt64)),
			problem.Must(forever.WithSeconds(-5)),
			problem.Must(forever.WithSeconds(0)),
			problem.Must(forever.WithSeconds(math.MaxInt64)),
			toleration.MustParse("op=x op="),
		},
		Invalid: []string{
			" ", "=v", "k=v op=", "k op=Exist", "k=v op=Exists", "k op=Lt", "k:NoSchedul", "k:", "k for 5", "k for 5s",
			"k:NoExecute for s", "k ", "{", "{}", `{"key":"k","effect":1}`, "\x00",
		},
	}
}
