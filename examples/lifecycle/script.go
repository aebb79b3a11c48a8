package main

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
)

// A place is a position in the input.
type place struct {
	source string
	line   int
}

// A problem is something that is wrong with a script.
type problem struct {
	place
	err error
}

func (p *problem) Error() string { return fmt.Sprintf("%s:%d: %v", p.source, p.line, p.err) }
func (p *problem) Unwrap() error { return p.err }

// What may happen to a node.
type action uint8

const (
	falls    action = iota + 1 // silent: its kubelet is not heard of
	notReady                   // its kubelet says so
	ready
	sets // a condition
	cordons
	uncordons
	edits // its taints, as kubectl taint
)

var stateWords = map[string]action{"unreachable": falls, "not-ready": notReady, "ready": ready}
var verbWords = map[string]action{"cordon": cordons, "uncordon": uncordons, "taint": edits}

// An event is one line of what happens.
type event struct {
	place
	at     time.Duration
	action action
	target target
	status condition.Condition // that it sets
	edits  []taint.Edit
}

// A target is some of the nodes.
type target struct {
	kind    string   // node, zone or all
	list    []string // patterns of nodes, or zones
	percent int      // of these nodes, the first ones
}

func (t target) matches(n *nodeSpec) bool {
	for _, s := range t.list {
		switch t.kind {
		case "node":
			if ok, _ := path.Match(s, n.name); ok { // the pattern is known to be one
				return true
			}
		case "zone":
			if s == n.zone.Name || s == n.zone.String() {
				return true
			}
		}
	}
	return t.kind == "all"
}

// A kind is how a pod is created and replaced.
type kind uint8

const (
	bare     kind = iota + 1 // not replaced
	workload                 // another one is made in its place
	daemon                   // one on each node
	static                   // its kubelet runs it, whatever others say
)

var kindNames = [...]string{bare: "pod", workload: "workload", daemon: "daemon", static: "static"}

func (k kind) String() string               { return kindNames[k] }
func (k kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *kind) set(s string) error {
	for i, name := range kindNames {
		if i > 0 && name == s {
			*k = kind(i)
			return nil
		}
	}
	return fmt.Errorf("no kind of pod: %q", s)
}

// A nodeSpec is a node as the day begins.
type nodeSpec struct {
	place
	name       string
	zone       disruption.Zone
	labels     map[string]string
	taints     taint.List
	conditions []condition.Condition
	cordoned   bool
}

// A podSet is some pods that are alike.
type podSet struct {
	place
	kind        kind
	name        string
	replicas    int  // of a workload
	exact       bool // one pod, whose name is the set's
	hostNetwork bool // of a daemon
	on          []string
	tolerations toleration.List // as written
}

// A script is what a day is made of.
type script struct {
	nodes    []*nodeSpec
	sets     []*podSet
	events   []*event
	problems []error
}

// The limits of a script, so that a typing error is reported and not
// simulated.
const (
	mostNodes    = 100_000
	mostReplicas = 1_000_000
	mostLine     = 1 << 20
	longest      = 366 * 24 * time.Hour
)

func (s *script) report(at place, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		s.problems = append(s.problems, &problem{at, errors.New(line)})
	}
}

// parse reads a script, and goes on behind each mistake.
func (s *script) parse(source, text string) {
	var before time.Duration
	number := 0
	for line := range strings.Lines(text) {
		number++
		at := place{source, number}
		words, err := split(line)
		switch {
		case err != nil:
			s.report(at, err)
		case len(words) == 0:
		case words[0][0] == '+' || words[0][0] >= '0' && words[0][0] <= '9':
			when, err := parseTime(words[0], before)
			if err != nil {
				s.report(at, err)
			} else {
				before = when
			}
			e, wrong := parseEvent(words[1:])
			switch {
			case wrong != nil:
				s.report(at, wrong)
			case err == nil:
				e.place, e.at = at, when
				s.events = append(s.events, e)
			}
		default:
			if err := s.declare(at, words); err != nil {
				s.report(at, err)
			}
		}
	}
}

// split cuts a line into words. Double quotes keep white space together, and a
// word that begins with '#' ends the line.
func split(line string) (words []string, err error) {
	var word strings.Builder
	inWord, quoted := false, false
	for _, r := range line {
		switch {
		case r == '"':
			inWord, quoted = true, !quoted
		case quoted:
			word.WriteRune(r)
		case r == ' ' || r == '\t' || r == '\r' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case r == '#' && !inWord:
			return words, nil
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if quoted {
		return nil, errors.New("a quotation mark is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	for _, w := range words {
		if w == "" {
			return nil, errors.New("an empty word")
		}
	}
	return words, nil
}

// parseTime reads a time of the day, which goes on beyond 24:00, or one
// relative to the line before.
func parseTime(word string, before time.Duration) (at time.Duration, err error) {
	if rest, ok := strings.CutPrefix(word, "+"); ok {
		d, err := time.ParseDuration(rest)
		if err != nil || strings.ContainsAny(rest, "+-") {
			return 0, fmt.Errorf("time %q: a duration behind the +, such as +90s or +1h30m", word)
		}
		if d > longest || before+d > longest {
			return 0, fmt.Errorf("time %q: later than %v", word, longest)
		}
		return before + d, nil
	}
	var n [3]int
	parts := strings.Split(word, ":")
	for i, part := range parts {
		ok := (len(parts) == 2 || len(parts) == 3) && len(part) <= 4
		if ok {
			v, err := strconv.ParseUint(part, 10, 16)
			ok = err == nil && (i == 0 || len(part) == 2 && v < 60)
			n[i%3] = int(v)
		}
		if !ok {
			return 0, fmt.Errorf("time %q: want hours:minutes or hours:minutes:seconds, or + and a duration", word)
		}
	}
	at = time.Duration(n[0])*time.Hour + time.Duration(n[1])*time.Minute + time.Duration(n[2])*time.Second
	switch {
	case at > longest:
		return 0, fmt.Errorf("time %q: later than %v", word, longest)
	case at < before:
		return 0, fmt.Errorf("time %q: before the line before, which is at %v", word, clock(before))
	}
	return at, nil
}

// parseEvent reads what follows the time.
func parseEvent(words []string) (*event, error) {
	e := &event{}
	verb := false
	if len(words) > 0 {
		if e.action, verb = verbWords[words[0]]; verb {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return nil, errors.New("say which nodes: node NAME, zone NAME or all")
	}
	e.target.kind = words[0]
	words = words[1:]
	switch e.target.kind {
	case "all":
	case "node", "zone":
		if len(words) == 0 {
			return nil, fmt.Errorf("say which %s", e.target.kind)
		}
		e.target.list = strings.Split(words[0], ",")
		words = words[1:]
		for _, s := range e.target.list {
			if _, err := path.Match(s, ""); err != nil || s == "" {
				return nil, fmt.Errorf("%q is no pattern of names", s)
			}
		}
	default:
		return nil, fmt.Errorf("%q: want node NAME, zone NAME or all, with taint, cordon or uncordon before", e.target.kind)
	}
	e.target.percent = 100
	if len(words) > 0 {
		if text, ok := strings.CutSuffix(words[0], "%"); ok {
			n, err := strconv.ParseUint(text, 10, 8)
			if err != nil || n < 1 || n > 100 {
				return nil, fmt.Errorf("%q: want 1%% to 100%%", words[0])
			}
			e.target.percent = int(n)
			words = words[1:]
		}
	}
	switch {
	case e.action == edits:
		var err error
		if len(words) == 0 {
			return nil, errors.New("no edits, such as key=value:NoExecute or key-")
		}
		e.edits, err = taint.ParseEdits(words...)
		return e, err
	case verb && len(words) > 0:
		return nil, fmt.Errorf("%q: nothing follows the nodes", words[0])
	case verb:
		return e, nil
	case len(words) != 1:
		return nil, errors.New("say what happens to the nodes, in one word: unreachable, not-ready, ready, or a condition such as DiskPressure=True")
	}
	if e.action = stateWords[words[0]]; e.action != 0 {
		return e, nil
	}
	kind, status, _ := strings.Cut(words[0], "=")
	switch kind {
	case condition.TypeMemoryPressure, condition.TypeDiskPressure, condition.TypePIDPressure, condition.TypeNetworkUnavailable:
		if status != condition.StatusTrue && status != condition.StatusFalse {
			return nil, fmt.Errorf("%q: %s=True or %[2]s=False", words[0], kind)
		}
		e.action, e.status = sets, condition.Condition{Type: kind, Status: status}
		return e, nil
	}
	return nil, fmt.Errorf("%q: want unreachable, not-ready, ready, or a condition such as DiskPressure=True", words[0])
}

// declare reads a line about a node or about pods. The error describes all its
// problems.
func (s *script) declare(at place, words []string) error {
	what := words[0]
	var k kind
	if what != "node" && (k.set(what) != nil || k == static) {
		return fmt.Errorf("%q: want a time, node, workload, pod or daemon", what)
	}
	if len(words) == 1 {
		return fmt.Errorf("say the name of the %s", what)
	}
	var errs []error
	names, err := expand(words[1])
	errs = append(errs, err)
	if what == "node" {
		n, err := parseNode(words[2:])
		errs = append(errs, err)
		if len(s.nodes)+len(names) > mostNodes {
			errs = append(errs, fmt.Errorf("more than %d nodes", mostNodes))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for _, name := range names {
			one := *n
			one.place, one.name = at, name
			s.nodes = append(s.nodes, &one)
		}
		return nil
	}
	p, err := parsePods(k, words[2:])
	errs = append(errs, err)
	if len(names) > 1 {
		errs = append(errs, fmt.Errorf("%q: only nodes are declared by a range", words[1]))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	p.place, p.name = at, names[0]
	s.sets = append(s.sets, p)
	return nil
}

// expand returns the names that a name with a range in it, such as
// eu-{1..20}, represents.
func expand(name string) ([]string, error) {
	before, rest, ok := strings.Cut(name, "{")
	span, after, closed := strings.Cut(rest, "}")
	if !ok && !strings.ContainsAny(name, `},*?[]\`) {
		return []string{name}, nil
	}
	first, last, dots := strings.Cut(span, "..")
	from, err1 := strconv.ParseUint(first, 10, 31)
	to, err2 := strconv.ParseUint(last, 10, 31)
	if !ok || !closed || !dots || err1 != nil || err2 != nil || strings.ContainsAny(before+after, `{},*?[]\`) {
		return nil, fmt.Errorf(`name %q: may have one range, such as a-{1..20}, and none of , * ? [ ] \`, name)
	}
	if to < from || to-from >= mostNodes {
		return nil, fmt.Errorf("name %q: a range goes up, and over %d names at most", name, mostNodes)
	}
	names := make([]string, 0, to-from+1)
	for i := from; i <= to; i++ {
		names = append(names, before+strconv.FormatUint(i, 10)+after)
	}
	return names, nil
}

func parseNode(words []string) (*nodeSpec, error) {
	n := &nodeSpec{labels: map[string]string{}}
	var errs []error
	var texts []string
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		switch {
		case w == "cordoned":
			n.cordoned = true
		case name == "zone" && value != "":
			n.labels[disruption.LabelZone] = value
		case name == "region" && value != "":
			n.labels[disruption.LabelRegion] = value
		case name == "label" && ok:
			key, value, _ := strings.Cut(value, "=")
			n.labels[key] = value
		case name == "taint" && ok:
			texts = append(texts, value)
		default:
			errs = append(errs, fmt.Errorf("%q: want zone=NAME, region=NAME, label=KEY=VALUE, taint=KEY=VALUE:EFFECT or cordoned", w))
		}
	}
	for _, text := range texts {
		t, err := taint.Parse(text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, other := range n.taints {
			if t.SameKeyEffect(other) {
				errs = append(errs, fmt.Errorf("taint %q: the node has one with that key and effect", text))
			}
		}
		n.taints = append(n.taints, t)
	}
	n.zone = disruption.ZoneOf(n.labels)
	return n, errors.Join(errs...)
}

func parsePods(k kind, words []string) (*podSet, error) {
	p := &podSet{kind: k, replicas: 1, exact: k == bare}
	var errs []error
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case name == "replicas" && k == workload:
			n, err := strconv.ParseUint(value, 10, 31)
			if err != nil || n < 1 || n > mostReplicas {
				errs = append(errs, fmt.Errorf("%q: a number from 1 to %d", w, mostReplicas))
			}
			p.replicas = int(n)
		case name == "on" && k != daemon && value != "":
			p.on = strings.Split(value, ",")
			if k == bare && len(p.on) > 1 {
				errs = append(errs, fmt.Errorf("%q: a pod is on one node", w))
			}
		case w == "host-network" && k == daemon:
			p.hostNetwork = true
		case name == "tolerates" && value != "":
			u, err := toleration.Parse(value)
			if err != nil {
				errs = append(errs, err)
			}
			p.tolerations = append(p.tolerations, u)
		default:
			errs = append(errs, fmt.Errorf("%q: want %s", w, podWords[k]))
		}
	}
	return p, errors.Join(errs...)
}

var podWords = map[kind]string{
	bare:     `on=NODE or tolerates="KEY=VALUE:EFFECT for 60s"`,
	workload: `replicas=N, on=NODE,NODE or tolerates="KEY=VALUE:EFFECT for 60s"`,
	daemon:   `host-network or tolerates="KEY=VALUE:EFFECT for 60s"`,
}
