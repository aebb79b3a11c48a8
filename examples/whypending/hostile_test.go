package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
)

// Nothing in the input steers the terminal.
func TestHostileText(t *testing.T) {
	const devices = `
{"kind":"Node","metadata":{"name":"n1"}}
{"kind":"Pod","metadata":{"name":"waiting","namespace":"ns"},"spec":{"resourceClaims":[{"name":"a","resourceClaimName":"a"},{"name":"b","resourceClaimTemplateName":"b"},{"name":"c","resourceClaimName":"c"},{"name":"d","resourceClaimName":"lost"}]}}
{"kind":"ResourceClaim","metadata":{"name":"a","namespace":"ns"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"class","tolerations":[{"key":"k","value":"w"}]}}]}}}
{"kind":"ResourceClaimTemplate","metadata":{"name":"b","namespace":"ns"},"spec":{"spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"x","deviceClassName":"class"}]}]}}}}
{"kind":"ResourceClaim","metadata":{"name":"c","namespace":"ns"},"status":{"allocation":{"devices":{"results":[{"driver":"d","pool":"p","device":"x"}]}}}}
{"kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p"},"devices":[{"name":"x","taints":[{"key":"k","value":"v","effect":"NoExecute"}]}]}}
{"kind":"DeviceTaintRule","metadata":{"name":"rule"},"spec":{"deviceSelector":{},"taint":{"key":"k","effect":"NoSchedule"}}}`
	for _, input := range append(hostile.Inputs(t), hostile.Variants(t, devices)...) {
		for _, args := range []string{"", "-o json", "-redact", "-redact -o json", "-pod waiting", "-pod bound", "-node n1", "-node n1 -o json"} {
			var out, errs bytes.Buffer
			run(strings.Fields(args), strings.NewReader(input), &out, &errs, noEnv)
			hostile.Check(t, "stdout of "+args, out.String())
			hostile.Check(t, "stderr of "+args, errs.String())
		}
	}
}

// measured runs the program and returns what it wrote, and the most memory that it
// held at once, or rather more: what is freed is collected before it doubles.
func measured(t *testing.T, input string, args ...string) (status int, written int64, errs string, peak uint64) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var stderr bytes.Buffer
	out := &meter{}
	in := &meteredReader{Reader: strings.NewReader(input), meter: out}
	status = run(args, in, out, &stderr, noEnv)
	return status, out.n, stderr.String(), max(out.peak, before.HeapAlloc) - before.HeapAlloc
}

// A meter counts what is written, and looks at the heap now and then.
type meter struct {
	n    int64
	next int64
	peak uint64
}

func (m *meter) look() {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	m.peak = max(m.peak, now.HeapAlloc)
}

func (m *meter) Write(b []byte) (int, error) {
	if m.n += int64(len(b)); m.n >= m.next {
		m.next = m.n + 1<<18
		m.look()
	}
	return len(b), nil
}

type meteredReader struct {
	*strings.Reader
	meter *meter
}

func (r *meteredReader) Read(b []byte) (int, error) {
	r.meter.look()
	return r.Reader.Read(b[:min(len(b), 1<<16)])
}

// Memory and output follow the input, not the pairs of nodes and pods.
func TestHostileSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes with the race detector")
	}
	list := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(form, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	inList := func(n int, form string) string { return strings.TrimSuffix(list(n, form+","), ",") }
	const (
		node    = `{"kind":"Node","metadata":{"name":"n#"},"spec":{"taints":[{"key":"k#","effect":"NoSchedule"}]}}`
		pod     = `{"kind":"Pod","metadata":{"name":"p#"},"spec":{"tolerations":[{"key":"t#","operator":"Exists"}]}}`
		bound   = `{"kind":"Pod","metadata":{"name":"p#"},"spec":{"nodeName":"n","tolerations":[{"key":"t#","operator":"Exists"}]}}`
		similar = `{"kind":"Pod","metadata":{"name":"p#"},"spec":{"tolerations":[{"key":"q#/k","operator":"Exists"}]}}`
	)
	tainted := `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[` + inList(2_500, `{"key":"k#","effect":"NoExecute"}`) + `]}}`
	tolerant := `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n","tolerations":[` + inList(9_000, `{"key":"k#","operator":"Exists","effect":"NoExecute","tolerationSeconds":#}`) + `]}}`
	const (
		claimant = `{"kind":"Pod","metadata":{"name":"p#"},"spec":{"resourceClaims":[{"name":"c","resourceClaimName":"c"}]}}`
		slice    = `{"kind":"ResourceSlice","metadata":{"name":"s#"},"spec":{"driver":"d#","pool":{"name":"p"},"devices":[{"name":"a","taints":[{"key":"k#","effect":"NoExecute"}]}]}}`
		claim    = `{"kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{"requests":[`
		template = `{"kind":"ResourceClaim","metadata":{"name":"c#"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"tolerations":[{"key":"t#"}]}}]}}}`
		rule     = `{"kind":"DeviceTaintRule","metadata":{"name":"r#"},"spec":{"deviceSelector":{},"taint":{"key":"k#","effect":"NoExecute"}}}`
	)
	oneSlice := func(devices string) string {
		return `{"kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p"},"devices":[` + devices + `]}}`
	}
	one := `{"kind":"Node","metadata":{"name":"n"}}`
	request := claim + `{"name":"r","exactly":{}}]}}}`
	for name, input := range map[string]string{
		"drivers and claimants":  one + list(2_000, slice) + list(700, claimant) + request,
		"requests and claimants": one + list(50, slice) + list(200, claimant) + claim + inList(2_000, `{"name":"r#","exactly":{}}`) + `]}}}`,
		"claims of a pod":        one + list(50, slice) + `{"kind":"Pod","metadata":{"name":"p"},"spec":{"resourceClaims":[` + inList(9_000, `{"name":"c#","resourceClaimName":"c#"}`) + `]}}` + list(500, template),
		"rules of all devices":   one + list(1_000, rule) + oneSlice(inList(3_000, `{"name":"a#"}`)) + claimant + request,
		"too many taints":        one + list(2_000, rule) + oneSlice(inList(9_000, `{"name":"a#"}`)) + claimant + request,
		"taints of a device":     one + oneSlice(`{"name":"a","taints":[`+inList(9_000, `{"key":"k#","effect":"NoExecute"}`)+`]}`) + claimant + claim + `{"name":"r","exactly":{"tolerations":[` + inList(9_000, `{"key":"t#"}`) + `]}}]}}}`,
		"bad taints of devices":  one + list(10, `{"kind":"ResourceSlice","metadata":{"name":"s#"},"spec":{"devices":[`+inList(9_000, `{"taints":[{}]}`)+`]}}`) + claimant + request,
		"allocated devices":      one + list(300, claimant) + `{"kind":"ResourceClaim","metadata":{"name":"c"},"status":{"allocation":{"devices":{"results":[` + inList(9_000, `{"driver":"d","pool":"p","device":"a#"}`) + `]}}}}`,
		"nodes and pods":         list(2_000, node) + list(700, pod),
		"a node of all taints":   tainted + list(500, pod),
		"pods on that node":      tainted + list(500, bound) + tolerant,
		"similar keys":           `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[` + inList(2_500, `{"key":"p#/k","effect":"NoExecute"}`) + `]}}` + list(800, similar),
		"bad tolerations":        list(10, `{"kind":"Pod","metadata":{"name":"p#"},"spec":{"tolerations":[`+inList(9_000, `{}`)+`]}}`),
		"too many tolerations":   `{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[` + inList(300_000, `{}`) + `]}}`,
		"unknown fields":         `{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{` + inList(90_000, `"x":1`) + `}]}}`,
		"pods of one name":       list(500, node) + list(100, strings.Replace(pod, `"name":"p#"`, `"namespace":"s#","name":"p"`, 1)),
	} {
		for _, args := range []string{"", "-o json", "-o json -node n", "-node n", "-o json -pod p"} {
			if strings.Contains(args, "-node") && !strings.Contains(input, `"name":"n"`) || strings.Contains(args, "-pod") && !strings.Contains(input, `"name":"p"`) {
				continue
			}
			began := time.Now()
			status, written, errs, peak := measured(t, input, strings.Fields(args)...)
			t.Logf("%-22s %-16s %d: %8d bytes in, %8d out, %5.1f MB, %v", name, args, status, len(input), written, float64(peak)/(1<<20), time.Since(began).Round(time.Millisecond))
			if limit := int64(40*len(input)) + 100_000; !strings.Contains(args, "-pod") && (written > limit || int64(len(errs)) > limit) {
				t.Errorf("%s, %s: %d bytes are written for %d", name, args, written, len(input))
			}
			if peak > uint64(40*len(input))+32<<20 {
				t.Errorf("%s, %s: %d bytes are held for %d", name, args, peak, len(input))
			}
		}
	}
}

// What would be too much is refused with a message.
func TestHostileRefused(t *testing.T) {
	var b strings.Builder
	for i := range 1_100 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[{"key":"k%[1]d","effect":"NoSchedule"}]}}`, i)
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"namespace":"s%d","name":"p"}}`, i)
	}
	for args, want := range map[string]string{
		"-reasons 0":                   "-reasons 0: more than 1048576 reasons in all",
		"-reasons 1000":                "-reasons 1000: more than 1048576 reasons in all",
		"-pod p":                       "1100 pods of that name and 1100 nodes are too many pairs",
		"-o json -pod p":               "1100 pods of that name and 1100 nodes are too many pairs",
		"-pod s7/p":                    "",
		"-reasons 0 -pod s7/p -o json": "",
	} {
		var out, errs bytes.Buffer
		status := run(strings.Fields(args), strings.NewReader(b.String()), &out, &errs, noEnv)
		if want == "" && (status != statusPending || errs.Len() > 0) || want != "" && (status != statusBad || out.Len() > 0 || !strings.Contains(errs.String(), want)) {
			t.Errorf("%s: status %d, %s, want %q", args, status, &errs, want)
		}
	}
	devices := `{"kind":"Node","metadata":{"name":"n"}}{"kind":"Pod","metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"c","resourceClaimName":"c"}]}}` +
		`{"kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{"requests":[` + strings.TrimSuffix(strings.Repeat(`{"name":"r","exactly":{}},`, 9_000), ",") + `]}}}`
	for i := range 1_000 {
		devices += fmt.Sprintf(`{"kind":"ResourceSlice","metadata":{"name":"s%d"},"spec":{"driver":"d%d","pool":{"name":"p"},"devices":[{"name":"a"}]}}`, i, i)
	}
	var out, errs bytes.Buffer
	if status := run([]string{"-reasons", "0"}, strings.NewReader(devices), &out, &errs, noEnv); status != statusBad || !strings.Contains(errs.String(), "more than 1048576 reasons in all") {
		t.Errorf("9,000 requests for 1,000 drivers: status %d, %s", status, &errs)
	}
	c := load(inputs(options{files: []string{"-"}}, strings.NewReader(b.String()), io.Discard), options{}, nil)
	r := &report{cluster: c, shown: c.pods, judge: newJudge(c.classes, 0)}
	if err := r.checkWork(); err != nil {
		t.Error(err)
	}
	r.judge.classes = slices.Repeat(r.judge.classes, 100)
	lists := mostWork/int64(r.judge.work()) + 1
	r.shown = make([]*pod, lists)
	for i := range r.shown {
		r.shown[i] = &pod{class: new(podClass)}
	}
	if err := r.checkWork(); err == nil || !strings.Contains(err.Error(), "too many to compare") {
		t.Errorf("%d lists: %v", lists, err)
	}
}
