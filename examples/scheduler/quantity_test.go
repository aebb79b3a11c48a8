package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestQuantity(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
	}{
		{"0", 0}, {"1", 1}, {"+1", 1}, {"-0", 0}, {"1.", 1}, {".5", 1}, {"1.5", 2}, {"1.5Gi", 1536 << 20}, {"0.1Ki", 103},
		{"1n", 1}, {"1u", 1}, {"999m", 1}, {"1000m", 1}, {"1001m", 2}, {"1k", 1000}, {"1M", 1e6}, {"1G", 1e9}, {"1T", 1e12}, {"1P", 1e15}, {"1E", 1e18},
		{"1Ki", 1 << 10}, {"1Mi", 1 << 20}, {"1Gi", 1 << 30}, {"1Ti", 1 << 40}, {"1Pi", 1 << 50}, {"1Ei", 1 << 60},
		{"1e3", 1000}, {"1E3", 1000}, {"12e-1", 2}, {"1e18", 1e18}, {"9223372036854775807", math.MaxInt64}, {"0e99", 0},
	} {
		if got, err := parseQuantity(memory, tt.text); got != tt.want || err != nil {
			t.Errorf("%s = %d, %v, want %d", tt.text, got, err, tt.want)
		}
	}
	for text, want := range map[string]int64{"1": 1000, "250m": 250, "0.1": 100, "1u": 1, "2.25": 2250, "1k": 1e6} {
		if got, err := parseQuantity(cpu, text); got != want || err != nil {
			t.Errorf("%s CPUs = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", " 1", "1 ", "1KB", "1ki", "1K", "one", "1.2.3", ".", "+", "--1", "-1", "1e", "1e100", "1e-100", "8Ei", "9223372036854775808", "1,5", "0x10", "1_000", "true", strings.Repeat("1", 101)} {
		if got, err := parseQuantity(memory, text); got != 0 || err == nil {
			t.Errorf("%q = %d, want an error", text, got)
		}
	}
}

// What is written of an amount is read back as the same.
func FuzzQuantity(f *testing.F) {
	for _, s := range []string{"1", "250m", "120Mi", "1.5Gi", "1e3", "-1", "1e99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, resource := range []string{cpu, memory, "example.com/x"} {
			n, err := parseQuantity(resource, text)
			if err != nil {
				if n != 0 {
					t.Errorf("%q: %d with an error", text, n)
				}
				continue
			}
			written := format(resource, n)
			if again, err := parseQuantity(resource, written); again != n || err != nil {
				t.Errorf("%s %q = %d, written %q, read %d, %v", resource, text, n, written, again, err)
			}
		}
	})
}

// Whatever the input is, no node is given more than it has, and no pod a
// node whose taints it does not tolerate.
func FuzzSchedule(f *testing.F) {
	f.Add(sample)
	f.Add(`{"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"pods": "9223372036854775807", "cpu": "1e15"}}}
		{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"resources": {"requests": {"cpu": "9223372036854775"}}}]}}
		{"kind": "Pod", "metadata": {"name": "q"}, "spec": {"containers": [{"resources": {"requests": {"cpu": "9223372036854775"}}}]}}`)
	f.Fuzz(func(t *testing.T, input string) {
		c := newCluster()
		c.read("input", strings.NewReader(input))
		c.settle()
		before := map[*node]string{}
		for _, n := range c.nodes {
			before[n] = fmt.Sprint(n.free)
		}
		for _, d := range c.schedule(1) {
			n := d.chosen
			if n == nil {
				continue
			}
			before[n] = ""
			for resource, asked := range d.pod.requests {
				if asked > 0 && n.free[resource] < 0 {
					t.Errorf("%s: node %s gives %d %s more than it has", d.pod.title(), n.name, -n.free[resource], resource)
				}
			}
			if !n.taints.Filter(d.pod.Tolerations).Schedulable() {
				t.Errorf("%s goes to %s in spite of %v", d.pod.title(), n.name, n.taints)
			}
		}
		for n, free := range before {
			if free != "" && free != fmt.Sprint(n.free) {
				t.Errorf("node %s changed without a pod", n.name)
			}
		}
	})
}
