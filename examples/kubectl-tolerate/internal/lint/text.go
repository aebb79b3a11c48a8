package lint

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

// Limits of the texts in an object.
const (
	maxTexts = 16 << 20 // bytes, with those in texts
	maxDepth = 4        // of a text in a text
)

// listed matches what a text in YAML or JSON has if it has a list of tolerations or taints, or
// a patch of one.
var listed = regexp.MustCompile(`(?im)(^|[-{,"'\\])\s*["']?(\w*(tolerations?|taints)|node-taint\+?)["']?\s*:|/(tolerations|taints)\b`)

var words = []string{"oleration", "aint", "OLERATION", "AINT"} // without which a text is not searched

// listName returns the list that a field is by the end of its name: tolerations, taints, or "".
func listName(name string) string {
	for _, list := range []string{"tolerations", "taints"} {
		if len(name) >= len(list) && strings.EqualFold(name[len(name)-len(list):], list) {
			return list
		}
	}
	return ""
}

// text adds a text that can have a list, by the name of its field or by what is in it.
func (w *walk) text(s string, at *place) {
	field := at
	for field.above != nil && strings.HasPrefix(field.name, "[") {
		field = field.above
	}
	if name := strings.TrimPrefix(field.name, "."); field == at || listName(name) == "" {
		w.textOf(name, s, at)
	}
}

func (w *walk) textOf(name, s string, at *place) {
	l := &list{place: at, name: name, v: s, agent: w.hinted}
	switch {
	case w.kustomize && strings.HasPrefix(name, "patch"):
		l.inPatch = true
	case name == "description", strings.Contains(name, "/last-"): // a copy in an annotation
		return
	case listName(name) != "" && strings.ContainsAny(s, ":{"), slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) }) && listed.MatchString(s):
	default:
		return
	}
	w.texts = append(w.texts, l)
}

// readTexts checks the texts in fields of the object, which are in YAML or JSON. It reports
// whether one has something to check.
func (c *checker) readTexts() (some bool) {
	within := c.within
	for _, l := range c.texts {
		text, _ := l.v.(string)
		if c.left -= len(text); c.left < 0 || c.depth == maxDepth {
			c.unread(l.place, "too many texts, or a text in a text in a text")
			continue
		}
		begin := "#\n" // so that it is YAML
		if listName(l.name) != "" {
			begin = strconv.Quote(l.name) + ":\n"
			if flow := strings.TrimSpace(text); strings.HasPrefix(flow, "[") || strings.HasPrefix(flow, "{") {
				begin += " "
			}
		}
		inner := strings.Join(strings.Fields(within+" "+c.from.Place+" "+c.String()+" "+l.place.String()), " ")
		n, root := target(l.value), (*yaml.Node)(nil)
		for o, err := range objects.Read(c.from.Source, strings.NewReader(begin+text)) {
			p := new(objects.Problem)
			switch {
			case errors.Is(err, objects.ErrNotObject) || errors.Is(err, objects.ErrEmpty): // the name of a file, or prose
				continue
			case errors.As(err, &p):
				at := c.problem(l.place, p.Err.Error())
				if n != nil && n.Style&yaml.LiteralStyle != 0 {
					at.Line += p.Line - 1
				}
				c.omit(at, c.config != nil || c.named && l.inPatch)
				continue
			case n == nil: // in JSON
				o.Line, o.Root = 0, nil
			case n.Style&yaml.LiteralStyle != 0:
				o.Line += c.from.Line + n.Line - 2
			default:
				o.Line = c.from.Line + n.Line - 1
			}
			if o.Root != root { // not that of the item before
				root = o.Root
				flatten(root, n.Style&yaml.LiteralStyle == 0)
			}
			c.within, c.depth, c.command.agents = inner, c.depth+1, l.agent
			some = c.check(o) || some
			c.within, c.depth, c.command.agents = within, c.depth-1, false
		}
	}
	return some
}

// flatten removes the columns of a node, and its lines if oneLine is set.
func flatten(n *yaml.Node, oneLine bool) {
	if n.Column = 0; oneLine {
		n.Line, n.Style = 1, 0
	}
	for _, child := range n.Content {
		flatten(child, oneLine)
	}
}
