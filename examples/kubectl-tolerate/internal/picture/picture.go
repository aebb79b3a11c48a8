// Package picture draws pods against nodes, and what happens to them over time. A picture
// is one file without scripts and outside resources. The reasons are shown on hover.
//
// Texts may come from a stranger: they are escaped and, if long, cut with "…". A picture
// that is too large is rejected, since one without some of the rows looks whole.
package picture

import (
	"errors"
	"io"
	"time"
)

// A Verdict is whether the pods of a row can be scheduled on the nodes of a column. The
// zero value is Unknown.
type Verdict uint8

const (
	Unknown Verdict = iota
	Can
	PreferNot // they can, but other nodes are preferred
	Cannot
)

// An Axis is a row or a column of a Matrix: a group of pods or nodes that are alike.
type Axis struct {
	Label, Detail string // Detail is shown on hover
	Count         int    // the size of the group
}

// A Cell is the verdict for a row and a column.
type Cell struct {
	Verdict Verdict
	Text    string // the reasons, one per line, shown on hover
}

// A Matrix has groups of pods as rows, and groups of nodes as columns.
type Matrix struct {
	Title         string
	Rows, Columns []Axis
	Cells         [][]Cell // by row, then by column
}

// A Kind is the state of a pod or a node. The zero value is drawn as unknown.
type Kind uint8

const (
	Running  Kind = iota + 1 // a pod runs, or a node is ready
	Waiting                  // a pod is pending, or a node is not initialized
	Evicting                 // a pod runs until its toleration's seconds have passed
	Tainted                  // a node has a taint
	Down                     // a node is not ready, unreachable or removed
)

// A Span is a state and its time since the start of the simulation. One without a duration
// is drawn as a short mark.
type Span struct {
	From, To      time.Duration
	Kind          Kind
	Label, Detail string // Label is drawn in the span if there is room, Detail is shown on hover
}

// A Lane is a pod or a node. Its spans can overlap: then they are drawn below each other.
type Lane struct {
	Label string
	Spans []Span
}

// A Timeline is a simulation.
type Timeline struct {
	Title string
	Lanes []Lane
	End   time.Duration // longer spans are cut there
}

// SVG writes m as an SVG document.
func SVG(w io.Writer, m Matrix) error { return errors.ErrUnsupported }

// HTML writes m as an HTML document with a table.
func HTML(w io.Writer, m Matrix) error { return errors.ErrUnsupported }

// TimelineSVG writes t as an SVG document.
func TimelineSVG(w io.Writer, t Timeline) error { return errors.ErrUnsupported }
