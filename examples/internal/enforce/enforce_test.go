package enforce_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/examples/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

func mustCompile(t interface{ Fatal(...any) }, c *rules.Config) []enforce.Object {
	compiled, err := enforce.Compile(c, enforce.Options{Name: "tolerate"})
	if err != nil {
		t.Fatal(err)
	}
	return compiled.List
}

// expressions returns the expressions of an object by their places, and the messages.
func expressions(v any) map[string]string {
	text, err := json.Marshal(v)
	var plain any
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		panic(err)
	}
	all := map[string]string{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, v := range v {
				if s, ok := v.(string); ok && (strings.HasSuffix(strings.ToLower(name), "expression") || name == "message") {
					all[at+"."+name] = s
				}
				walk(at+"."+name, v)
			}
		case []any:
			for i, v := range v {
				walk(at+"["+strconv.Itoa(i)+"]", v)
			}
		}
	}
	walk("", plain)
	return all
}

// Tables are what the variables of a policy hold.
type tables struct {
	Policy           map[string]int
	Rows             [][]int
	Timed            [][]int64
	Clauses, Reasons []string
}

// variables returns the variables of a policy by their names.
func variables(object enforce.Object) map[string]string {
	all := map[string]string{}
	for _, v := range object["spec"].(enforce.Object)["variables"].([]enforce.Object) {
		all[v["name"].(string)] = v["expression"].(string)
	}
	return all
}

// read reads the tables, whose CEL is JSON too.
func read(t interface{ Fatal(...any) }, object enforce.Object) (read tables) {
	all := variables(object)
	for name, into := range map[string]any{"policy0": &read.Policy, "rows": &read.Rows, "timed": &read.Timed, "clauses": &read.Clauses, "reasons": &read.Reasons} {
		if all[name] == "" && name == "timed" {
			continue
		}
		if err := json.Unmarshal([]byte(all[name]), into); err != nil {
			t.Fatal(name, err)
		}
	}
	return read
}

// judge looks up a toleration as the expressions do. It returns the clause that refuses it and
// the reason, or two empty texts.
func (x tables) judge(u toleration.Toleration) (clause, reason string) {
	cell := u.Key()
	if cell != "" && (u.Operator() == 0 || u.Operator() == toleration.Equal) {
		cell += "=" + u.Value()
	}
	row, ok := x.Policy[cell]
	if !ok {
		row, ok = x.Policy[u.Key()+"=*"]
	}
	if !ok {
		row = x.Policy["*"]
	}
	answer := int64(x.Rows[row][slices.Index([]taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}, u.Effect())])
	if answer < 0 {
		limits := x.Timed[-1-answer]
		switch n, timed := u.Seconds(); {
		case !timed || max(n, 0) > limits[0]:
			answer = limits[1]
		case max(n, 0) > limits[2]:
			answer = limits[3]
		default:
			answer = 0
		}
	}
	return x.Clauses[answer], x.Reasons[answer]
}

// ofClause makes tolerations that a clause can have.
func ofClause(effect taint.Effect) *rapid.Generator[toleration.Toleration] {
	return rapid.Map(gen.Toleration(), func(u toleration.Toleration) toleration.Toleration {
		op, value := u.Operator(), u.Value()
		if u.IsNumeric() || op == 0 {
			op = toleration.Equal
		}
		v, err := toleration.New(u.Key(), op, value, cmp.Or(effect, u.Effect()))
		if err != nil { // a bound that is no value
			v, err = toleration.New(u.Key(), toleration.Exists, "", cmp.Or(effect, u.Effect()))
		}
		if err != nil {
			panic(err)
		}
		return v
	})
}

func clauses(most int, message string) *rapid.Generator[[]policy.Clause] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (c policy.Clause) {
		var effect taint.Effect
		if rapid.Bool().Draw(t, "about time") {
			n := gen.Seconds().Draw(t, "seconds")
			c.MaxSeconds, effect = &n, taint.NoExecute
		}
		c.Taints = rapid.SliceOfN(ofClause(effect), 1, 4).Draw(t, "taints")
		c.Except = rapid.SliceOfN(ofClause(0), 0, 2).Draw(t, "except")
		c.Message = rapid.SampledFrom([]string{"", message}).Draw(t, "message")
		return c
	}), 0, most)
}

// near returns all tolerations that a policy can distinguish, and others.
func near(spec policy.Spec) (all toleration.List) {
	keys, values := map[string]bool{"": true, "unnamed": true}, map[string]bool{"": true, "unnamed": true}
	limits := []int64{0, 300, math.MinInt64, math.MaxInt64}
	for _, c := range slices.Concat(spec.Allow, spec.Deny) {
		for _, u := range slices.Concat(c.Taints, c.Except) {
			keys[u.Key()], values[u.Value()] = true, true
		}
		if c.MaxSeconds != nil {
			limits = append(limits, *c.MaxSeconds)
		}
	}
	seconds := map[int64]bool{}
	for _, n := range limits {
		seconds[n], seconds[n-1], seconds[n+1] = true, true, true // an overflow is a number too
	}
	add := func(u toleration.Toleration, err error) bool {
		if err == nil {
			all = append(all, u)
		}
		return err == nil
	}
	for key := range keys {
		for value := range values {
			for _, op := range []toleration.Operator{0, toleration.Equal, toleration.Exists, toleration.Lt, toleration.Gt} {
				for _, effect := range []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
					u, err := toleration.New(key, op, value, effect)
					if !add(u, err) || effect != taint.NoExecute {
						continue
					}
					for n := range seconds {
						add(u.WithSeconds(n))
					}
				}
			}
		}
	}
	return all
}

var digits = regexp.MustCompile(`-?[0-9]+`)

// The tables have the verdict of the policy on each toleration, where Lt and Gt are Exists.
func TestCompile_verdicts(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		spec := policy.Spec{Allow: clauses(4, "ask").Draw(t, "allow"), Deny: clauses(3, "no").Draw(t, "deny")}
		if rapid.Bool().Draw(t, "open") || len(spec.Allow) == 0 && len(spec.Deny) > 0 {
			spec.Allow = append(spec.Allow, policy.Clause{Taints: toleration.List{toleration.MustParse("op=Exists")}})
		}
		p, err := policy.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		s := rules.Settings{Policy: &p, PolicyAt: "rules[0].policy"}
		x := read(t, mustCompile(t, &rules.Config{Rules: []rules.Rule{{Settings: s}}})[0])
		for _, u := range near(spec) {
			wide := u
			if u.IsNumeric() {
				text := u.Key() + " op=Exists"
				if u.Effect() != 0 {
					text = u.Key() + ":" + u.Effect().String() + " op=Exists"
				}
				wide = toleration.MustParse(text)
				if n, timed := u.Seconds(); timed {
					if wide, err = wide.WithSeconds(n); err != nil {
						t.Fatal(err)
					}
				}
			}
			var wantClause, wantReason string
			if v := p.Judge(wide); !v.Allowed {
				wantClause, wantReason = s.Clause(v), rules.Reason(v)
			}
			reason, _, _ := strings.Cut(wantReason, ":")
			counts[digits.ReplaceAllString(reason, "N")]++
			if clause, reason := x.judge(u); clause != wantClause || reason != wantReason {
				t.Fatalf("%v: %s %s, want %s %s, by\n%v", u, clause, reason, wantClause, wantReason, p)
			}
		}
	})
	for _, reason := range []string{"", "has no clause for it", "denies it", "allows at most N seconds", "denies more than N seconds"} {
		if counts[reason] < 500 {
			t.Errorf("%d verdicts %q", counts[reason], reason)
		}
	}
}

// token matches a token of CEL. The escapes in a string are those of Go and CEL.
var token = regexp.MustCompile(`^(?:\s+|"(?:[^"\\\x00-\x1f]|\\(?:[abfnrtv\\"]|x[0-7][0-9a-f]|u[0-9a-f]{4}|U[0-9a-f]{8}))*"|[A-Za-z_]\w*|[0-9]+|&&|\|\||[=!<>]=|[-+!?:.,()\[\]{}<>])`)

// scan returns the tokens of an expression, without its strings, and these.
func scan(expression string) (structure string, texts []string, err error) {
	open := ""
	for rest := expression; rest != ""; {
		found := token.FindString(rest)
		if found == "" {
			return "", nil, fmt.Errorf("no token: %.100q", rest)
		}
		rest = rest[len(found):]
		switch i := strings.Index("([{)]}", found); {
		case found[0] == '"':
			text, err := strconv.Unquote(found)
			if err != nil {
				return "", nil, err
			}
			texts, found = append(texts, text), `""`
		case i >= 3 && !strings.HasSuffix(open, "([{"[i-3:i-2]):
			return "", nil, fmt.Errorf("%q closes %q", found, open)
		case i >= 3:
			open = open[:len(open)-1]
		case i >= 0:
			open += found
		}
		structure += found
	}
	if open != "" {
		err = fmt.Errorf("%q is not closed", open)
	}
	return structure, texts, err
}

// withText returns the rules of a stranger, with the text wherever it is not checked.
func withText(t *testing.T, text string) []enforce.Object {
	t.Helper()
	everything := []any{map[string]any{"operator": "Exists", "effect": "NoExecute"}}
	file, err := json.Marshal(map[string]any{"description": text, "rules": []any{
		map[string]any{"namespaces": []string{text}, "tolerations": []any{map[string]any{"key": "a"}}, "nodeSelector": map[string]string{"a": "b"}},
		map[string]any{"namespaces": []string{text}, "groups": []string{text}, "warn": true, "denyNodeName": true, "tolerations": []any{map[string]any{"key": "b"}}},
		map[string]any{"policy": map[string]any{
			"allow": []any{map[string]any{"message": text, "taints": everything, "maxSeconds": 60}},
			"deny":  []any{map[string]any{"name": text, "message": text, "taints": everything, "maxSeconds": 5}},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := rules.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Rules[:2] {
		c.Rules[i].Namespaces = []string{text} // JSON has only UTF-8
	}
	return mustCompile(t, c)
}

// hostile are texts that end a string, an expression or a line in some language.
var hostile = []string{
	`"`, `'`, `\`, `\"`, `\\`, `"""`, "`", `" + "`, `"] + [object.spec`, `"}, "shop": {`, `" in [] || true || "`, `\x22`, `\u0022 || true`, `r"`, `b"`,
	`{{x}}`, `${x}`, `%s%d`, `// comment`, "a\nb", "a\r\nb", "a\u2028b\u2029c\u0085d", "\x00", "\x1b[2J\x07\b\x7f", "\u202e\u2066\u200f", "\ufeff", "\ufffe",
	"汚染 טיינט पॉड", "😀\U000e0001", "e\u0301", " ", "\u00a0", "null", "~", "---\n- x", "# x", "*", "k=v", strings.Repeat("a", 175), strings.Repeat("汚", 2000), strings.Repeat("\x00\"", 2000),
}

// No text leaves its string: with it, an expression has the tokens that it has with any other.
func TestCompile_strangers(t *testing.T) {
	plain := withText(t, "plain")
	for _, text := range append(hostile, "not UTF-8: \xff\xc0\xaf\xed\xa0\x80") {
		objects := withText(t, text)
		if len(objects) != len(plain) {
			t.Fatalf("%q: %d objects, want %d", text, len(objects), len(plain))
		}
		seen := map[string]bool{}
		for i := range objects {
			got, want := expressions(objects[i]["spec"]), expressions(plain[i]["spec"])
			if diff := slices.Compare(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))); diff != 0 || len(got) == 0 && i%2 == 0 {
				t.Errorf("%q: other expressions", text)
			}
			for at, expression := range got {
				if strings.HasSuffix(at, ".message") {
					if expression != want[at] {
						t.Errorf("%q: message %q", text, expression)
					}
					continue
				}
				structure, texts, err := scan(expression)
				other, _, otherErr := scan(want[at])
				if err != nil || otherErr != nil || structure != other {
					t.Errorf("%.80q: %s: %v, %v\n%.1000s\nwant the tokens of\n%.1000s", text, at, err, otherErr, expression, want[at])
				}
				for _, s := range texts {
					seen[s] = true
				}
			}
		}
		if known := strings.ToValidUTF8(text, "\ufffd"); !seen[known] {
			t.Errorf("no string is %.80q", text)
		}
		for _, name := range []string{"clauses", "reasons", "labelText"} {
			_, texts, _ := scan(variables(objects[0])[name])
			for _, s := range texts {
				if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%.80q: a message has %q", text, s)
				}
			}
			if len(texts) == 0 {
				t.Errorf("no %s", name)
			}
		}
	}
	// What else a file names is checked when it is read.
	for _, text := range hostile {
		if text == "null" {
			continue // a valid key
		}
		quoted, _ := json.Marshal(text)
		for _, file := range []string{
			`{"rules": [{"nodeSelector": {%s: "a"}}]}`, `{"rules": [{"tolerations": [{"key": %s}]}]}`, `{"rules": [{"policy": {"allow": [{"taints": [{"key": %s, "operator": "Exists"}]}]}}]}`,
		} {
			if _, err := rules.Decode(fmt.Appendf(nil, file, quoted)); err == nil {
				t.Errorf("%q is a key", text)
			}
		}
		for _, file := range []string{`{"rules": [{"nodeSelector": {"a": %s}}]}`, `{"rules": [{"policy": {"allow": [{"taints": [{"key": "a", "value": %s}]}]}}]}`} {
			if _, err := rules.Decode(fmt.Appendf(nil, file, quoted)); err == nil {
				t.Errorf("%q is a value", text)
			}
		}
	}
}
