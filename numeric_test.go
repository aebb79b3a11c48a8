package tolerate_test

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
	"toleration/admission, func DecodePod": made(func() (toleration.Toleration, error) {
		pod, _, err := admission.DecodePod([]byte(`{"spec":{"tolerations":[`+numericJSON+`]}}`), "")
		return slices.Concat(pod.Tolerations, toleration.List{{}})[0], err
	}),
	"toleration/admission, func NamespaceRestriction": made(func() (toleration.Toleration, error) {
		r, err := admission.NamespaceRestriction(map[string]string{admission.WhitelistAnnotation: "[" + numericJSON + "]"}, admission.Restriction{}, "")
		return slices.Concat(r.Whitelist, toleration.List{{}})[0], err
	}),
	"toleration, func New": made(func() (toleration.Toleration, error) {
		return toleration.New("cores", toleration.Gt, "16", taint.NoSchedule)
	}),
	"toleration, func From": made(func() (toleration.Toleration, error) {
		return toleration.From("cores", "Gt", "16", "", nil)
	}),
	"toleration, func Parse": made(func() (toleration.Toleration, error) { return toleration.Parse(numericText) }),
	"toleration, func ParseList": made(func() (toleration.Toleration, error) {
		list, err := toleration.ParseList(numericText)
		return list[0], err
	}),
	"toleration, method (*List) UnmarshalText": made(func() (toleration.Toleration, error) {
		var list toleration.List
		err := list.UnmarshalText([]byte(numericText))
		return list[0], err
	}),
	"toleration, method (*List) UnmarshalJSON": made(func() (toleration.Toleration, error) {
		var list toleration.List
		err := list.UnmarshalJSON([]byte("[" + numericJSON + "]"))
		return list[0], err
	}),
	"toleration, method (*Toleration) UnmarshalText": made(func() (u toleration.Toleration, err error) {
		err = u.UnmarshalText([]byte(numericText))
		return u, err
	}),
	"toleration, method (*Toleration) UnmarshalJSON": made(func() (u toleration.Toleration, err error) {
		err = u.UnmarshalJSON([]byte(numericJSON))
		return u, err
	}),
	"toleration, method (*Toleration) UnmarshalBinary": made(func() (u toleration.Toleration, err error) {
		err = u.UnmarshalBinary([]byte(numericJSON))
		return u, err
	}),
}

// notJudges are the other functions with an error, and what it is about.
var notJudges = map[string]*regexp.Regexp{
	"a name or a text":                 regexp.MustCompile(`\((\*?Choice|\*?Operator)\)| (Append|Marshal)\w+\(`),
	"the YAML is read as JSON is":      regexp.MustCompile(`UnmarshalYAML`),
	"the seconds of a valid value":     regexp.MustCompile(`WithSeconds`),
	"what is allowed, of valid values": regexp.MustCompile(`admission, method \(Plan\)|/policy, `),
	"the values are as from JSON":      regexp.MustCompile(`match/kube, func (Pod|Tolerations?)\(`),
	"devices have no Lt and Gt":        regexp.MustCompile(`match/(device|kube/dra), `),
}

func made(make func() (toleration.Toleration, error)) func(bool) error {
	return func(numericOff bool) error {
		u, err := make()
		if err != nil {
			return err
		}
		return toleration.List{u}.Validate(nil, numericOff)
	}
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
