package why

import (
	"fmt"
	"strings"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/picture"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

var pictured = map[Verdict]picture.Verdict{Can: picture.Can, PreferNot: picture.PreferNot, Cannot: picture.Cannot, NotSelected: picture.Cannot}

// matrix returns the picture of a report that has verdicts.
func (r *Report) matrix() picture.Matrix {
	m := picture.Matrix{Title: fmt.Sprintf("%s, %s: %d cannot be scheduled%s", count(r.Summary.Pods, "pod"), count(r.Summary.Nodes, "node"), r.Summary.CannotBeScheduled, r.to())}
	for _, n := range r.Nodes {
		m.Columns = append(m.Columns, picture.Axis{Label: n.text(), Detail: names(n.Nodes, len(n.Nodes)), Count: len(n.Nodes)})
	}
	unreadNodes := len(r.judge.unread)
	if unreadNodes > 0 {
		m.Columns = append(m.Columns, picture.Axis{Label: "unknown taints", Count: unreadNodes})
	}
	for _, g := range r.Pods {
		label := g.Pods[0]
		if g.CannotBeScheduled {
			label += ", cannot be scheduled" + r.to()
		} else if g.Waiting {
			label += ", waiting"
		}
		m.Rows = append(m.Rows, picture.Axis{Label: label, Detail: names(g.Pods, len(g.Pods)) + "\ntolerations: " + cut(tolerations(g.Tolerations)), Count: len(g.Pods)})
		row := make([]picture.Cell, len(m.Columns))
		for i, v := range g.Verdicts {
			row[i] = picture.Cell{Verdict: pictured[v], Text: r.judge.reasons(r.judge.nodes[i], g, v)}
		}
		m.Cells = append(m.Cells, row)
	}
	if unread := r.Summary.Unknown - unreadNodes; unread > 0 {
		m.Rows = append(m.Rows, picture.Axis{Label: "unknown tolerations", Count: unread})
		m.Cells = append(m.Cells, make([]picture.Cell, len(m.Columns)))
	}
	return m
}

// reasons describes the verdict for some pods on the nodes of a group.
func (j *judge) reasons(n *nodeGroup, g *PodGroup, v Verdict) string {
	if v == NotSelected {
		return "not selected: " + cut(g.placement)
	}
	var lines []string
	for e := range n.Explanations(toleration.First, g.Tolerations) {
		if len(lines) == maxReasons {
			break
		}
		if e.Class == match.NotTolerated {
			text, add := j.sentence(e)
			lines = append(lines, text+add)
		}
	}
	return strings.Join(lines, "\n")
}
