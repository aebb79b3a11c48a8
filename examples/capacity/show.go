package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/toleration"
)

// show loads the fleet, runs the streams and writes what came of it. It reports
// whether the index and the plain filter agree.
func show(w io.Writer, o options, f *input, p *progress) bool {
	before, start := heap(), time.Now()
	var x fleet.Index[string]
	x.Load(func(yield func(string, match.Node) bool) {
		for i, name := range f.names {
			if !yield(name, f.nodes[i]) {
				return
			}
		}
	})
	took := time.Since(start)
	held := heap() - before
	s := x.Snapshot()
	fmt.Fprintf(w, "fleet: %s nodes, %s distinct taint lists; indexed in %v, %s bytes beside the names\n\n",
		grouped(s.Len()), grouped(s.Groups()), took.Round(time.Microsecond), grouped(held))

	showWorkloads(w, f, s)

	st := &stream{opts: o, input: f}
	if o.memo {
		st.memo = fleet.NewMemo(2 * len(f.workloads))
	}
	still := st.run(&x, false, p)
	showMeasure(w, "while nothing changes", o, still)
	if o.flap > 0 {
		flapping := st.run(&x, true, p)
		showMeasure(w, "while nodes flap", o, flapping)
		fmt.Fprintf(w, "  %s changes and %s snapshots meanwhile; %.0f %% of the pods a second of the first run\n\n",
			grouped(flapping.changes), grouped(flapping.snapshots), 100*flapping.perSecond()/still.perSecond())
	}
	return showCheck(w, f, x.Snapshot())
}

func showMeasure(w io.Writer, when string, o options, m measure) {
	fmt.Fprintf(w, "%s, readers: %d\n", when, o.readers)
	fmt.Fprintf(w, "  %s pods in %.2f s: %s pods a second, %v for one, %v in the slowest %d\n", grouped(int(m.pods)), m.elapsed.Seconds(),
		grouped(int(m.perSecond())), perPod(m.elapsed*time.Duration(o.readers), m.pods), m.slowest, batch)
	fmt.Fprintf(w, "  %s nodes fit a pod on average; %s pods fit none\n", grouped(int(m.nodes/max(m.pods, 1))), grouped(int(m.nowhere)))
}

func perPod(d time.Duration, pods int64) time.Duration { return d / time.Duration(max(pods, 1)) }

// showWorkloads writes the answers for the first few workloads.
func showWorkloads(w io.Writer, f *input, s *fleet.Snapshot[string]) {
	const most = 5
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "may run\tpreferred\twould evict\t  tolerations\n")
	var a fleet.Answer[string]
	for i, pod := range f.workloads {
		if i == most {
			break
		}
		s.Query(&a, pod)
		fmt.Fprintf(t, "%s\t%s\t%s\t  %s\n", grouped(a.Schedulable()), grouped(a.Preferred()), grouped(a.Evicted()), listed(pod))
	}
	t.Flush() // into a bufio.Writer, which keeps the error
	if len(f.workloads) > most {
		fmt.Fprintf(w, "and %d more workloads\n", len(f.workloads)-most)
	}
	s.Query(&a, f.workloads[0])
	fmt.Fprintf(w, "\nthe first: %s/%s nodes are available", grouped(a.Schedulable()), grouped(a.Total()))
	for i, r := range a.TopReasons(3) {
		fmt.Fprintf(w, "%s %s untolerated %v", []string{":", ","}[min(i, 1)], grouped(r.Nodes), r.Taint)
	}
	fmt.Fprint(w, "\n\n")
}

func listed(pod toleration.List) string {
	var parts []string
	for _, u := range pod {
		parts = append(parts, u.String())
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// showCheck holds the index against the plain filter, node by node. It reports
// whether they agree.
func showCheck(w io.Writer, f *input, s *fleet.Snapshot[string]) bool {
	const most = 20
	pods := f.workloads[:min(most, len(f.workloads))]
	var a fleet.Answer[string]
	var plain, indexed time.Duration
	wrong := 0
	verdicts := make([]match.Result, len(f.nodes))
	for i, pod := range pods {
		start := time.Now()
		for j := range f.nodes {
			verdicts[j] = f.nodes[j].Filter(pod)
		}
		middle := time.Now()
		s.Query(&a, pod)
		plain += middle.Sub(start)
		indexed += time.Since(middle)
		n := 0
		for j, r := range verdicts {
			v, ok := a.Node(f.names[j])
			if !ok || v.Schedulable() != r.Schedulable() || v.Preferred() != r.Preferred() || v.Evicted() != r.Evicted() {
				n++
			}
		}
		if n > 0 || s.Len() != len(f.nodes) {
			wrong++
			fmt.Fprintf(w, "WRONG: for workload %d the index and the filter differ on %d of %d nodes\n", i, n, len(f.nodes))
		}
	}
	if wrong > 0 {
		return false
	}
	n := int64(len(pods))
	fmt.Fprintf(w, "the plain filter on every node says the same for %d workloads; it takes %v for one, the index %v\n",
		n, perPod(plain, n), perPod(indexed, n))
	return true
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// A progress is one line on a terminal that is written over. A nil one writes
// nothing.
type progress struct {
	w     io.Writer
	next  time.Time
	dirty bool
}

const refresh = 200 * time.Millisecond

func newProgress(w io.Writer) *progress {
	if w == nil || !terminal.Is(w) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return &progress{w: w}
}

func (p *progress) show(format string, args ...any) {
	if p == nil || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(refresh)
	p.dirty = true
	fmt.Fprintf(p.w, "\r\x1b[Kcapacity: "+format, args...)
}

func (p *progress) clear() {
	if p != nil && p.dirty {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.dirty = false
	}
}
