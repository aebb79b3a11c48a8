package bench_test

import (
	"fmt"
	"strings"
	"testing"
	"unique"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// plainParse is the plain implementation of taint.Parse; those of keys and values
// are in package plain.
func plainParse(s string) (t plainTaint, ok bool) {
	parts := strings.Split(s, ":")
	if len(parts) != 2 {
		return plainTaint{}, false
	}
	t.key, t.value, _ = strings.Cut(parts[0], "=")
	t.effect = parts[1]
	switch t.effect {
	case "NoSchedule", "PreferNoSchedule", "NoExecute":
		return t, plain.Key(t.key) && plain.Value(t.value)
	}
	return plainTaint{}, false
}

func isKey(s string) bool   { return validate.Key(s) == nil }
func isValue(s string) bool { return validate.Value(s) == nil }

// longestKey is the longest valid key.
var longestKey = strings.Repeat("a.", 126) + "a/" + strings.Repeat("k", 63)

func BenchmarkKey(b *testing.B) {
	for _, key := range []string{workload.Key, longestKey} {
		if !isKey(key) || !plain.Key(key) {
			b.Fatalf("%q is not a key", key)
		}
		b.Run(fmt.Sprintf("bytes=%d", len(key)), func(b *testing.B) {
			workload.Run(b, "impl=tolerate", func() bool { return isKey(key) })
			workload.Run(b, "impl=plain", func() bool { return plain.Key(key) })
		})
	}
}

func BenchmarkValue(b *testing.B) {
	for _, value := range []string{workload.Value, strings.Repeat("v", 63)} {
		if !isValue(value) || !plain.Value(value) {
			b.Fatalf("%q is not a value", value)
		}
		b.Run(fmt.Sprintf("bytes=%d", len(value)), func(b *testing.B) {
			workload.Run(b, "impl=tolerate", func() bool { return isValue(value) })
			workload.Run(b, "impl=plain", func() bool { return plain.Value(value) })
		})
	}
}

func BenchmarkInteger(b *testing.B) {
	for _, s := range []string{"42", "-9223372036854775808"} {
		b.Run(fmt.Sprintf("bytes=%d", len(s)), func(b *testing.B) {
			workload.Run(b, "impl=tolerate", func() int64 { n, _ := validate.Integer(s); return n })
		})
	}
}

func parse(s string) taint.Taint {
	t, err := taint.Parse(s)
	if err != nil {
		panic(err)
	}
	return t
}

// BenchmarkParse parses a taint whose strings are interned, and one whose strings are
// not.
func BenchmarkParse(b *testing.B) {
	held := parse(workload.Taint)
	workload.Run(b, "known=yes/impl=tolerate", func() taint.Taint { return parse(workload.Taint) })
	workload.Run(b, "known=yes/impl=plain", func() plainTaint { t, _ := plainParse(workload.Taint); return t })
	workload.Run(b, "known=yes/impl=floor", func() [2]unique.Handle[string] {
		return [...]unique.Handle[string]{unique.Make("dedicated"), unique.Make("gpu-a100-80gb")}
	})
	texts := make([]string, 1<<14)
	for i := range texts {
		texts[i] = fmt.Sprintf("example.com/key-%d=value-%d:NoSchedule", i, i)
	}
	i := 0
	// The garbage collector has usually removed the strings before a text is parsed
	// again.
	workload.Run(b, "known=no/impl=tolerate", func() taint.Taint { i++; return parse(texts[i%len(texts)]) })
	if held.IsZero() {
		b.Fatal("not held")
	}
}

func BenchmarkText(b *testing.B) {
	t, buf := parse(workload.Taint), make([]byte, 0, 128)
	theirs, _ := plainParse(workload.Taint)
	workload.Run(b, "impl=tolerate-append", func() []byte { out, _ := t.AppendText(buf); return out })
	workload.Run(b, "impl=tolerate", t.String)
	workload.Run(b, "impl=plain", func() string { return theirs.key + "=" + theirs.value + ":" + theirs.effect })
}

// makeRaw validates the fields and returns the values.
func makeRaw(dst toleration.List, raw []plainToleration) toleration.List {
	for i := range raw {
		u := &raw[i]
		v, err := toleration.From(u.key, u.operator, u.value, u.effect, u.seconds)
		if err != nil {
			panic(err)
		}
		dst = append(dst, v)
	}
	return dst
}

func BenchmarkTolerations(b *testing.B) {
	pod := workload.Pod()[:3]
	raw, dst := plainTolerations(pod), make(toleration.List, 0, len(pod))
	b.Run("tolerations=3", func(b *testing.B) {
		workload.Run(b, "op=from/impl=tolerate", func() toleration.List { return makeRaw(dst, raw) })
		workload.Run(b, "op=update/impl=tolerate", func() error { return pod.ValidateUpdate(pod, toleration.ListOptions{}) })
	})
}

var jsonList = []byte(`[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},` +
	`{"key":"dedicated","operator":"Equal","value":"gpu-a100-80gb","effect":"NoSchedule"}]`)

// These variables keep the floor's results alive.
var (
	floorText   string
	floorHandle unique.Handle[string]
)

func decode() toleration.List {
	list, _, err := toleration.Decode(jsonList, toleration.ListOptions{})
	if err != nil {
		panic(err)
	}
	return list
}

// BenchmarkJSON reads a list of two tolerations. The floor copies the text, makes the
// list, and finds its three strings among the interned ones.
func BenchmarkJSON(b *testing.B) {
	held := decode()
	b.Run("tolerations=2", func(b *testing.B) {
		workload.Run(b, "impl=tolerate", decode)
		workload.Run(b, "impl=floor", func() toleration.List {
			floorText = string(jsonList)
			for _, s := range []string{workload.Key, "dedicated", workload.Value} {
				floorHandle = unique.Make(s)
			}
			return make(toleration.List, 0, 4)
		})
	})
	if held[0].IsZero() {
		b.Fatal("not held")
	}
}
