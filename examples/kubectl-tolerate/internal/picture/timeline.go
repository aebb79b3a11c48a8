package picture

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// kinds are the marks of the kinds.
var kinds = [...]mark{
	0:        {"unknown", "?", "unknown", 545, 44},
	Running:  {"running", "✓", "running", margin, 44},
	Waiting:  {"waiting", "…", "waiting", 110, 44},
	Evicting: {"evicting", "!", "evicted at the end", 204, 44},
	Tainted:  {"tainted", "#", "tainted", 378, 44},
	Down:     {"down", "×", "down", 472, 44},
}

const (
	plot       = 960 // the width of the time
	laneTop    = 100 // of the first lane
	spanHeight = 22  // of a span with its gap
)

type timeline struct {
	Title         text
	Width, Height int
	Legend        []mark
	Ticks         []text
	Lanes         []lane
}

type lane struct {
	text
	Spans []span
}

type span struct {
	mark
	X, Y, Width      int
	Caption, Tooltip string
}

// TimelineSVG writes t as an SVG document. It returns an error if t has more than 200
// lanes or 5,000 spans, or if a span is not within the time.
func TimelineSVG(w io.Writer, t Timeline) error {
	if n := len(t.Lanes); n > maxLines {
		return tooMany(n, "pods and nodes", maxLines)
	}
	p := timeline{Title: caption(t.Title, "", maxTitle), Legend: kinds[:], Height: laneTop}
	left, spans := 0, 0
	for _, l := range t.Lanes {
		p.Lanes = append(p.Lanes, lane{text: caption(l.Label, "", maxCaption)})
		left = max(left, p.Lanes[len(p.Lanes)-1].Length)
		spans += len(l.Spans)
	}
	if spans > maxSpans {
		return tooMany(spans, "spans of time", maxSpans)
	}
	left += 2 * margin
	p.Width = left + plot + 2*margin
	end := max(t.End, time.Second)
	at := func(d time.Duration) int { return left + int(float64(min(d, end))/float64(end)*plot) }
	for i := range p.Lanes {
		l := &p.Lanes[i]
		l.Y = p.Height
		lines, err := l.place(t.Lanes[i].Spans, at, end)
		if err != nil {
			return fmt.Errorf("lane %d: %w", i, err)
		}
		p.Height += max(lines, 1)*spanHeight + 6
	}
	p.Height += margin
	step := tickStep(end)
	for n := range end/step + 1 {
		p.Ticks = append(p.Ticks, text{X: at(n * step), Caption: duration.HumanDuration(n * step)})
	}
	return write(w, "timeline.svg", p)
}

// place adds the spans, each in the first line where nothing is in its place. It returns
// the number of lines.
func (l *lane) place(spans []Span, at func(time.Duration) int, end time.Duration) (int, error) {
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	var ends []int // of the lines
	for _, s := range spans {
		if s.From < 0 || s.To < s.From || s.From > end {
			return 0, fmt.Errorf("the span from %s to %s is not within the time from 0s to %s", s.From, s.To, end)
		}
		if int(s.Kind) >= len(kinds) {
			s.Kind = 0
		}
		k := kinds[s.Kind]
		from, to := at(s.From), max(at(s.To), at(s.From)+4)
		line := slices.IndexFunc(ends, func(x int) bool { return x <= from })
		if line < 0 {
			line, ends = len(ends), append(ends, 0)
		}
		ends[line] = to
		label := caption(s.Label, "", maxTooltip).Caption
		inside, room := k.Symbol, (to-from-6)*10/72
		if room < 1 {
			inside = ""
		} else if room > 5 {
			inside = cut(k.Symbol+" "+label, room)
		}
		tooltip := fmt.Sprintf("%s: %s, %s to %s\n%s\n%s", l.Tooltip, k.Text, s.From, s.To, label, clean(s.Detail))
		l.Spans = append(l.Spans, span{k, from, line * spanHeight, to - from, inside, strings.TrimSpace(tooltip)})
	}
	return len(ends), nil
}

// tickStep returns the distance of at most 11 ticks up to end.
func tickStep(end time.Duration) time.Duration {
	for _, s := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200} {
		if end/(s*time.Second) <= 10 {
			return s * time.Second
		}
	}
	const day = 24 * time.Hour
	return (end/day/10 + 1) * day
}
