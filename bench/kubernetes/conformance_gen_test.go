package kubernetes_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// gen makes random input, weighted to edges. It uses few keys, values and effects, so
// that matches and near misses are common, and sometimes unlikely ones.
type gen struct{ *rand.Rand }

func (g *gen) one(in ...string) string { return in[g.IntN(len(in))] }
func (g *gen) in(n int) bool           { return g.IntN(n) == 0 }

var (
	goodKeys   = []string{"a", "b", "A", "a.b", "a/b", "example.com/a", corev1.TaintNodeUnschedulable, corev1.TaintNodeNotReady, "0"}
	badKeys    = []string{"", "/a", "a/", "a/b/c", "Example.com/a", "-a", "a-", "a b", "a\n", "\x00", "é", strings.Repeat("k", 64), strings.Repeat("p", 254) + "/a", "a..b/c", "readiness.k8s.io/*"}
	goodValues = []string{"", "x", "y", "X", "x.y", "0", "1", "5", "6", "007", "05", "1.5", "1e3", "high", "99", "100", "9223372036854775806", "9223372036854775807", "9223372036854775808", "18446744073709551616", strings.Repeat("v", 63)}
	badValues  = []string{"-1", "-", "a/b", "a b", "-a", "a-", " 1", "+1", "1\n", strings.Repeat("v", 64), "é"}
	integers   = []string{"0", "1", "-1", "5", "6", "4", "99", "100", "-5", "9223372036854775806", "9223372036854775807", "-9223372036854775808"}
	badInts    = []string{"", "00", "01", "-0", "+1", "1.5", "1e3", " 1", "9223372036854775808", "-9223372036854775809", "x", "-", "--1", "1-"}
	effects    = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	badEffects = []string{"noschedule", "NO_EXECUTE", "NoScheduleNoAdmit", "NoExecute ", "None", "x"}
	operators  = []string{"", "Equal", "Exists", "Lt", "Gt"}
	badOps     = []string{"equal", "exists", "LT", "Ge", "In", "x"}
)

// taint makes a valid taint.
func (g *gen) taint() corev1.Taint {
	t := corev1.Taint{Key: g.one(goodKeys[:4]...), Value: g.one(goodValues...), Effect: corev1.TaintEffect(g.one(effects...))}
	if g.in(4) {
		t.Key = g.one(goodKeys...)
	}
	if g.in(8) {
		t.Value = g.label()
	}
	return t
}

// label makes a valid value that is not one of the few usual ones.
func (g *gen) label() string {
	const inner = "abcXYZ019-_."
	const ends = "abcXYZ019"
	b := make([]byte, 1+g.IntN(63))
	for i := range b {
		b[i] = inner[g.IntN(len(inner))]
	}
	b[0], b[len(b)-1] = ends[g.IntN(len(ends))], ends[g.IntN(len(ends))]
	return string(b)
}

// toleration makes a valid toleration.
func (g *gen) toleration() corev1.Toleration {
	t := corev1.Toleration{
		Key:      g.one(goodKeys[:4]...),
		Operator: corev1.TolerationOperator(g.one(operators...)),
		Effect:   corev1.TaintEffect(g.one("", effects[0], effects[1], effects[2])),
	}
	if g.in(4) {
		t.Key = g.one(goodKeys...)
	}
	switch t.Operator {
	case corev1.TolerationOpExists:
		if g.in(3) {
			t.Key = ""
		}
	case corev1.TolerationOpLt, corev1.TolerationOpGt:
		t.Value = g.one(integers...)
	default:
		t.Value = g.one(goodValues...)
	}
	if t.Effect == corev1.TaintEffectNoExecute && g.in(2) {
		t.TolerationSeconds = g.seconds()
	}
	return t
}

func (g *gen) seconds() *int64 {
	n := []int64{0, 1, 30, 300, -1, -5, 1<<63 - 1, -1 << 63, 18446744074}[g.IntN(9)]
	return &n
}

// pair makes a toleration and a taint that are similar.
func (g *gen) pair() (corev1.Toleration, corev1.Taint) {
	tol, tnt := g.toleration(), g.taint()
	if tol.Key != "" && !g.in(4) {
		tnt.Key = tol.Key
	}
	if tol.Effect != "" && !g.in(4) {
		tnt.Effect = tol.Effect
	}
	if g.in(2) {
		switch {
		case tol.Operator != corev1.TolerationOpLt && tol.Operator != corev1.TolerationOpGt && tol.Operator != corev1.TolerationOpExists:
			tnt.Value = tol.Value
		case tol.Value != "" && tol.Value[0] != '-':
			tnt.Value = tol.Value // the numbers are equal
		}
	}
	return tol, tnt
}

// spoil makes one or more of the toleration's fields invalid, or only changes them.
func (g *gen) spoil(t *corev1.Toleration) {
	for again := true; again; again = g.in(2) {
		switch g.IntN(6) {
		case 0:
			t.Key = g.one(badKeys...)
		case 1:
			t.Operator = corev1.TolerationOperator(g.one(g.one(operators...), g.one(badOps...)))
		case 2:
			t.Value = g.one(g.one(goodValues...), g.one(badValues...), g.one(badInts...))
		case 3:
			t.Effect = corev1.TaintEffect(g.one("", g.one(effects...), g.one(badEffects...)))
		case 4:
			t.TolerationSeconds = g.seconds()
		case 5:
			t.Key, t.Value = "", ""
		}
	}
}

// spoilTaint makes one or more of the taint's fields invalid.
func (g *gen) spoilTaint(t *corev1.Taint) {
	for again := true; again; again = g.in(2) {
		switch g.IntN(3) {
		case 0:
			t.Key = g.one(badKeys...)
		case 1:
			t.Value = g.one(badValues...)
		case 2:
			t.Effect = corev1.TaintEffect(g.one("", g.one(badEffects...)))
		}
	}
}

// lists makes the lists of one decision. It uses few keys, so that tolerations often
// match taints. In a third, there is a toleration for each taint.
func (g *gen) lists() ([]corev1.Toleration, []corev1.Taint) {
	tols := make([]corev1.Toleration, g.IntN(6))
	taints := make([]corev1.Taint, g.IntN(5))
	for i := range taints {
		taints[i] = g.taint()
	}
	each := g.in(3)
	if each {
		tols = make([]corev1.Toleration, len(taints))
	}
	for i := range tols {
		tols[i] = g.toleration()
		if len(taints) > 0 && (each || g.in(2)) { // match one of the taints
			tnt := taints[g.IntN(len(taints))]
			if each {
				tnt = taints[i]
			}
			if tols[i].Key != "" {
				tols[i].Key = tnt.Key
			}
			if tols[i].Effect != "" && tols[i].TolerationSeconds == nil {
				tols[i].Effect = tnt.Effect
			}
			n, err := strconv.ParseInt(tnt.Value, 10, 64)
			switch op := tols[i].Operator; {
			case op == "" || op == corev1.TolerationOpEqual:
				tols[i].Value = tnt.Value
			case op == corev1.TolerationOpGt && err == nil:
				tols[i].Value = strconv.FormatInt(n-1, 10)
			case op == corev1.TolerationOpLt && err == nil && n < math.MaxInt64:
				tols[i].Value = strconv.FormatInt(n+1, 10)
			}
		}
	}
	return tols, taints
}

// timeAdded makes the time added of a taint: absent, in whole seconds, with a fraction,
// in another time zone, or the first or last time that JSON can represent.
func (g *gen) timeAdded() *metav1.Time {
	at := time.Unix(g.Int64N(4_000_000_000), 0)
	switch g.IntN(6) {
	case 0, 1:
		return nil
	case 2:
		at = at.Add(time.Duration(g.IntN(1e9)))
	case 3:
		at = at.In(time.FixedZone("", 3600*(g.IntN(27)-12)))
	case 4:
		at = time.Date(9999, 12, 31, 23, 59, 59, g.IntN(1e9), time.UTC)
	}
	return &metav1.Time{Time: at}
}

// text makes a string that is similar to the texts: one of them, cut, doubled, joined
// or with changed bytes, or random bytes.
func (g *gen) text(near []string) string {
	const bytes = "aZ09-_./=: \n\x00\x7f\xff,é"
	s := g.one(near...)
	for again := g.IntN(4); again > 0; again-- {
		switch g.IntN(7) {
		case 0:
			if s != "" {
				i := g.IntN(len(s))
				s = s[:i] + s[i+1:]
			}
		case 1, 2:
			i := g.IntN(len(s) + 1)
			s = s[:i] + bytes[g.IntN(len(bytes)):][:1] + s[i:]
		case 3:
			if s != "" {
				i := g.IntN(len(s))
				s = s[:i] + string(rune(g.IntN(256))) + s[i+1:]
			}
		case 4:
			s += g.one(near...)
		case 5:
			s = g.one(near...) + g.one("/", "=", ":", ".", "-", ",") + s
		case 6: // lengths around the limits
			if s != "" {
				n := []int{62, 63, 64, 252, 253, 254, 317, 318}[g.IntN(8)]
				s = strings.Repeat(s, n/len(s)+1)[:n]
			}
		}
	}
	if g.in(20) {
		b := make([]byte, g.IntN(8))
		for i := range b {
			b[i] = byte(g.Uint32())
		}
		s = string(b)
	}
	return s
}
