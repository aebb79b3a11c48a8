package repo_test

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

const (
	numericText = "cores=16 op=Gt"
	numericJSON = `{"key":"cores","operator":"Gt","value":"16"}`
)

// judges are the functions that decide whether tolerations are valid, also without Lt
// and Gt. Decode and List.Validate have a parameter for this; the values that the others
// make are given to List.Validate.
var judges = map[string]func(numericOff bool) error{
	"toleration, func Decode": func(numericOff bool) error {
		_, _, err := toleration.Decode([]byte("["+numericJSON+"]"), toleration.DecodeOptions{NumericOff: numericOff})
		return err
	},
	"toleration, method (List) Validate": func(numericOff bool) error {
		return toleration.MustParseList(numericText).Validate(nil, numericOff)
	},
	"toleration/admission, func DecodePod": func(numericOff bool) error {
		pod, _, err := admission.DecodePod([]byte(`{"spec":{"tolerations":[`+numericJSON+`]}}`), "")
		return made(pod.Tolerations, err)(numericOff)
	},
	"toleration/admission, func NamespaceRestriction": func(numericOff bool) error {
		r, err := admission.NamespaceRestriction(map[string]string{admission.WhitelistAnnotation: "[" + numericJSON + "]"}, admission.Restriction{}, "")
		return made(r.Whitelist, err)(numericOff)
	},
	"toleration, func New":                             made(one(toleration.New("cores", toleration.Gt, "16", taint.NoSchedule))),
	"toleration, func From":                            made(one(toleration.From("cores", "Gt", "16", "", nil))),
	"toleration, func Parse":                           made(one(toleration.Parse(numericText))),
	"toleration, func ParseList":                       made(toleration.ParseList(numericText)),
	"toleration, method (*List) UnmarshalText":         made(unmarshal((*toleration.List).UnmarshalText, numericText)),
	"toleration, method (*List) UnmarshalJSON":         made(unmarshal((*toleration.List).UnmarshalJSON, "["+numericJSON+"]")),
	"toleration, method (*Toleration) UnmarshalText":   made(one(unmarshal((*toleration.Toleration).UnmarshalText, numericText))),
	"toleration, method (*Toleration) UnmarshalJSON":   made(one(unmarshal((*toleration.Toleration).UnmarshalJSON, numericJSON))),
	"toleration, method (*Toleration) UnmarshalBinary": made(one(unmarshal((*toleration.Toleration).UnmarshalBinary, numericJSON))),
}

// notJudges are the other functions with an error, and what it is about.
var notJudges = map[string]*regexp.Regexp{
	"a name or a text":                 regexp.MustCompile(`\((\*?Choice|\*?Operator)\)| (Append|Marshal)\w+\(`),
	"the YAML is read as JSON is":      regexp.MustCompile(`UnmarshalYAML`),
	"the seconds of a valid value":     regexp.MustCompile(`WithSeconds`),
	"what is allowed, of valid values": regexp.MustCompile(`admission, method \(Plan\)|/policy, `),
	"the values are as from JSON":      regexp.MustCompile(`match/kube, func (Pod|Tolerations?)\(`),
	"devices have no Lt and Gt":        regexp.MustCompile(`match/kube/dra, `),
}

func made(list toleration.List, err error) func(numericOff bool) error {
	return func(numericOff bool) error {
		if err != nil {
			return err
		}
		return list.Validate(nil, numericOff)
	}
}

func one(u toleration.Toleration, err error) (toleration.List, error) {
	return toleration.List{u}, err
}

func unmarshal[V any](method func(*V, []byte) error, text string) (v V, err error) {
	err = method(&v, []byte(text))
	return v, err
}

// Every function that decides whether tolerations are valid accepts Lt and Gt, and
// rejects them with NumericOff.
func TestNumericOff(t *testing.T) {
	tested := 0
	for _, m := range regexp.MustCompile(`(?m)^pkg github\.com/go-tolerate/tolerate/((.*, (?:func|method \S+) \w+)(?:\[.*?\])?\(.*error\)?)$`).FindAllStringSubmatch(read(t, "api.txt"), -1) {
		if !regexp.MustCompile(`^toleration|\b[tT]oleration|kube, .* Pod\(`).MatchString(m[1]) {
			continue
		}
		judge, ok := judges[m[2]]
		other := slices.ContainsFunc(slices.Collect(maps.Values(notJudges)), func(r *regexp.Regexp) bool { return r.MatchString(m[1]) })
		if ok == other {
			t.Errorf("V11: is %s one that decides whether tolerations are valid?", m[1])
		}
		if !ok {
			continue
		}
		tested++
		var problems validate.Problems
		err := judge(true)
		if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Rule != validate.NumericOff {
			t.Errorf("V11: %s, with NumericOff: %v", m[2], err)
		}
		if err := judge(false); err != nil {
			t.Errorf("V11: %s: %v", m[2], err)
		}
	}
	if tested != len(judges) {
		t.Errorf("V11: %d of %d functions are in api.txt", tested, len(judges))
	}
}
