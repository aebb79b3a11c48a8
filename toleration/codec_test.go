package toleration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
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
