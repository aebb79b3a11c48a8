// Package enforce compiles a file of rules to objects that make the API server apply it:
// validating and mutating admission policies, in CEL.
//
// What can be decided beforehand is decided here, by [policy.Policy.Judge]. A toleration of
// a pod is about a cell: a key and a value that clauses name, or another value, or all
// values, or another key, or all keys. A policy becomes a map from cells to rows, and a row
// has the answer for each effect. CEL looks a toleration up, so that its cost does not
// depend on the number of clauses. What is accepted without a policy, such as the tolerations
// that the rule adds, becomes maps of the same kind.
//
// The number of policies does not depend on the number of rules. What differs from rule to rule
// is a literal, such as a map from the rules to their labels, which the API server evaluates once,
// when it compiles the expression.
//
// The expressions that validate have only functions that Kubernetes 1.30 has. Policies that mutate
// need Kubernetes 1.36.
package enforce

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
)

// Limits of the API server: characters of an expression, and bytes of an object, of which
// etcd accepts 1.5 MiB with what the API server adds.
const (
	maxExpression = 100_000
	maxObject     = 1_000_000
	maxSelectors  = 100    // of namespaces, that differ, and labels: each is evaluated
	maxCells      = 5000   // keys and values of a policy; more would not fit in an expression
	maxGroups     = 20_000 // rules with groups, times the groups that all list: a user can be in all
)

// Limits of a message. Ten refusals in 3,000 characters are less than the 5 KiB that the API
// server accepts, since only clauses and reasons are not ASCII.
const (
	reported  = 10 // refused tolerations
	maxText   = 3000
	maxClause = 80 // bytes
	maxReason = 200
)

// Labels of the objects.
const (
	managedBy = "app.kubernetes.io/managed-by"
	instance  = "app.kubernetes.io/instance"
	digest    = "kubectl-tolerate/digest"
)

// Options are options of [Compile].
type Options struct {
	// Name is the DNS label with which the names of the objects begin.
	Name string
	// NoMutation omits the objects that need Kubernetes 1.36: a new pod is not completed, and
	// refused without the labels of its rule.
	NoMutation bool
}

// An Object is an object of the API, or a part of one.
type Object map[string]any

// Objects are the policies and their bindings.
type Objects struct {
	List []Object
	// Selector selects all objects of this name, and Old those of other rules.
	Selector, Old string
}

var (
	validName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	otherName = regexp.MustCompile(`-(warn|templates|names|users|selector-[0-9a-f]+)$`) // an object of a file with another name
)

// Compile returns the objects of a file. The error is about the name, or about rules that do
// not fit the limits of the API server. The same rules give the same objects.
func Compile(c *rules.Config, o Options) (Objects, error) {
	if !validName.MatchString(o.Name) || otherName.MatchString(o.Name) {
		return Objects{}, fmt.Errorf("name %q: must have 1 to 40 lower-case letters, digits and -, begin and end with a letter or digit, and not end like the names of objects: -warn, -templates, -names, -users, -selector-0", o.Name)
	}
	x := &compiler{
		Options: o, rules: c.Rules, rowIDs: map[string]int{}, timedIDs: map[string]int{}, refusals: map[[2]string]int{},
		clauses: []string{`""`}, reasons: []string{`""`}, // 0 accepts
	}
	x.tables()
	if !o.NoMutation { // first, since a pod that is not completed is refused
		x.mutating()
	}
	if x.validating("", "Fail", "Deny"); slices.ContainsFunc(x.rules, func(r rules.Rule) bool { return r.Warns() }) {
		x.validating("-warn", "Ignore", "Warn", "Audit")
	}
	x.validating("-templates", "Ignore", "Warn")
	return x.finish()
}

// A compiler holds what the objects share.
type compiler struct {
	Options
	rules   []rules.Rule
	objects []Object
	errs    []error

	policies, accepts []string // of each rule: the number of its table; empty without one; see tables
	policyTables      []string // in CEL: maps from cells to rows
	acceptTables      []string
	rows, timed       []string // in CEL; see row and answer
	rowIDs, timedIDs  map[string]int
	clauses, reasons  []string // in CEL, by answer
	refusals          map[[2]string]int
}

// finish labels the objects and checks their size.
func (x *compiler) finish() (Objects, error) {
	text, err := json.Marshal(x.objects)
	sum := sha256.Sum256(text)
	version := hex.EncodeToString(sum[:8])
	for _, object := range x.objects {
		object["metadata"].(Object)["labels"] = Object{managedBy: "kubectl-tolerate", instance: x.Name, digest: version}
		if text, _ = json.Marshal(object); len(text) > maxObject {
			x.exceed(fmt.Errorf("rules: compile to an object of %d bytes; at most %d fit", len(text), maxObject))
		}
	}
	if x.errs != nil || err != nil {
		return Objects{}, errors.Join(append(x.errs, err)...)
	}
	all := managedBy + "=kubectl-tolerate," + instance + "=" + x.Name
	return Objects{x.objects, all, all + "," + digest + "!=" + version}, nil
}

// add adds an object.
func (x *compiler) add(kind, suffix string, spec Object) {
	x.objects = append(x.objects, Object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": Object{"name": x.Name + suffix}, "spec": spec,
	})
}

// cel returns the expression, which comes from the place in the file, and notes an error if
// it is too long.
func (x *compiler) cel(at, expression string) string {
	if n := utf8.RuneCountInString(expression); n > maxExpression {
		x.exceed(fmt.Errorf("%s: compiles to an expression of %d characters; the API server accepts at most %d", at, n, maxExpression))
	}
	return expression
}

// exceed notes that a limit is exceeded, if nothing else is: one limit is often a consequence of
// another.
func (x *compiler) exceed(err error) {
	if x.errs == nil {
		x.errs = []error{err}
	}
}

// quote returns the text as a string of CEL. Go's escapes are CEL's.
func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }

// plain returns the beginning of a text for people, in one line.
func plain(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most-len("…")], "") + "…"
	}
	return s
}

// list, lines and table write lists and maps of CEL from expressions.
func list(elements []string) string { return "[" + strings.Join(elements, ", ") + "]" }

func lines(elements []string) string { return "[\n  " + strings.Join(elements, ",\n  ") + "\n]" }

func table(entries []string) string { return "{\n  " + strings.Join(entries, ",\n  ") + "\n}" }

// quoted returns the strings of CEL.
func quoted(texts []string) []string {
	all := make([]string, len(texts))
	for i, s := range texts {
		all[i] = quote(s)
	}
	return all
}
