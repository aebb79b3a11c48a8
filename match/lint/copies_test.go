package lint_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/match/lint"
)

func TestCluster_copies(t *testing.T) {
	copies.Check(t, "lint.Cluster", func(c *lint.Cluster) { c.AddPod(list("a")) })
	copies.Check(t, "lint.Cluster", func(c *lint.Cluster) { c.AddNode(nil) })
}
