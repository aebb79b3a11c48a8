package main

import (
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
		return redactedTaint(t)
	}
	return t.String()
}

func (r *report) taints(list taint.List) string {
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = r.taint(t)
	}
	return strings.Join(texts, ", ")
}

func (r *report) toleration(u toleration.Toleration) string {
	if r.opts.redact {
		return redactedText(u.String(), u.Value())
	}
	return u.String()
}

func (r *report) tolerationJSON(u toleration.Toleration) any {
	if !r.opts.redact || u.Value() == "" {
		return u
	}
	fields := redactedToleration{Key: u.Key(), Operator: u.Operator(), Value: match.RedactedValue, Effect: u.Effect()}
	if n, ok := u.Seconds(); ok {
		fields.Seconds = &n
	}
	return fields
}

// A redactedToleration is the JSON of a toleration whose value is replaced.
type redactedToleration struct {
	Key      string              `json:"key"`
	Operator toleration.Operator `json:"operator,omitzero"`
	Value    string              `json:"value"`
	Effect   taint.Effect        `json:"effect,omitzero"`
	Seconds  *int64              `json:"tolerationSeconds,omitempty"`
}

func redactedTaint(t taint.Taint) string { return redactedText(t.String(), t.Value()) }

// redactedText replaces the value in the text of a taint or toleration: it
// follows the first equals sign, since no key contains one.
func redactedText(text, value string) string {
	if value == "" {
		return text
	}
	return strings.Replace(text, "="+value, "="+match.RedactedValue, 1)
}

func (r *report) explanation(e match.Explanation) string {
	if r.opts.redact {
		e = e.Redacted()
	}
	return e.String()
}

// redacted returns an error as it may be shown. An error about the input may quote
// any part of it, a value in the wrong place too, so with -redact it loses all
// that it quotes.
func (l *loader) redacted(err error) error {
	if !l.redact || err == nil {
		return err
	}
	var all validate.Problems
	if errors.As(err, &all) {
		redacted := make(validate.Problems, len(all))
		for i, p := range all {
			redacted[i] = withoutQuotes(p)
		}
		return redacted
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
