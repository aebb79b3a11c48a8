package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// What follows writes taints and tolerations as they may be shown: with -redact
// without their values.

func (r *report) taint(t taint.Taint) string {
	if r.opts.redact {
		return match.RedactedTaint(t).String()
	}
	return t.String()
}

func (r *report) taints(list []taint.Taint) string {
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = r.taint(t)
	}
	return strings.Join(texts, ", ")
}

func (r *report) toleration(u toleration.Toleration) string {
	if r.opts.redact {
		return match.RedactedToleration(u).String()
	}
	return u.String()
}

func (r *report) tolerationJSON(u toleration.Toleration) json.Marshaler {
	if r.opts.redact {
		return match.RedactedToleration(u)
	}
	return u
}

func (r *report) explanation(e match.Explanation) string {
	if r.opts.redact {
		e = e.Redacted()
	}
	return e.String()
}

// told returns an error as it may be shown. An error about the input may quote
// any part of it, a value in the wrong place too, so with -redact it loses all
// that it quotes.
func (l *loader) told(err error) error {
	if !l.redact || err == nil {
		return err
	}
	var all validate.Problems
	if errors.As(err, &all) {
		told := make(validate.Problems, len(all))
		for i, p := range all {
			told[i] = withoutQuotes(p)
		}
		return told
	}
	var p *validate.Problem
	if errors.As(err, &p) {
		return withoutQuotes(p)
	}
	text, _, cut := strings.Cut(err.Error(), ": ")
	if cut {
		text += ": " + match.RedactedValue
	}
	return errors.New(text)
}

func withoutQuotes(p *validate.Problem) *validate.Problem {
	q := *p
	if q.Value != "" {
		q.Value = match.RedactedValue
	}
	if q.Err != nil {
		q.Err = errors.New(match.RedactedValue)
	}
	return &q
}
