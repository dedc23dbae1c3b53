package quota

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// wire is a ResourceQuota of v1 in JSON, with the fields that are read.
type wire struct {
	Metadata manifest.Meta `json:"metadata"`
	Spec     struct {
		Hard     manifest.Amounts `json:"hard"`
		Scopes   []string         `json:"scopes"`
		Selector *struct {
			Expressions []expression `json:"matchExpressions"`
		} `json:"scopeSelector"`
	} `json:"spec"`
	Status struct {
		Hard manifest.Amounts `json:"hard"`
		Used manifest.Amounts `json:"used"`
	} `json:"status"`
}

// expression is one entry of matchExpressions in a scopeSelector.
type expression struct {
	Scope    string   `json:"scopeName"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// mostProblems is the number of problems of an input that are kept. Further ones are only counted.
const mostProblems = 1000

// Read reads the quotas of what
//
//	kubectl get resourcequotas -A -o json
//
// prints, or of any other dump: objects of other kinds are skipped. Hard is status.hard. If a quota has no
// status yet, as in a manifest, Hard is spec.hard and Used is nil.
//
// Errors are those of r, and an *[outrank.InputError] with every problem of the input. A nil reader is a
// problem, and so is input without an object or a List. Time is linear in the input. Besides the quotas,
// memory holds the largest object of the input.
func Read(r io.Reader) ([]*Quota, error) {
	rd := &reader{}
	err := manifest.Each(r, rd.item)
	switch {
	case errors.Is(err, manifest.ErrSyntax):
		rd.add("input", "", err.Error())
	case err != nil:
		return nil, err
	}
	if len(rd.problems) > 0 {
		return nil, &outrank.InputError{Problems: rd.problems, More: rd.more}
	}
	return rd.quotas, nil
}

// reader collects the quotas and the problems of an input.
type reader struct {
	quotas   []*Quota
	problems []outrank.Problem
	more     int // number of problems beyond mostProblems
}

// add adds a problem, or only counts it if there are mostProblems already.
func (rd *reader) add(object, field, text string) {
	if len(rd.problems) >= mostProblems {
		rd.more++
		return
	}
	rd.problems = append(rd.problems, outrank.Problem{Object: object, Field: field, Text: text})
}

// item reads one object. A field that cannot be read is a problem, and the other fields are checked all the same.
func (rd *reader) item(it manifest.Item) error {
	if it.Kind != "ResourceQuota" {
		return nil
	}
	var w wire

	wrong := manifest.Decode(it.Raw, &w)
	q := &Quota{Namespace: w.Metadata.Namespace, Name: w.Metadata.Name}
	object := q.object()
	if q.Name == "" {
		object = "resourcequota (" + it.Where + ")"
	}
	for _, m := range wrong {
		rd.add(object, m.Field, m.Text)
	}

	// spec.scopes is a short form of expressions with the operator Exists.
	for _, s := range w.Spec.Scopes {
		q.Scopes = append(q.Scopes, Requirement{Scope: Scope(s), Operator: outrank.Exists})
	}
	if selector := w.Spec.Selector; selector != nil {
		for _, r := range selector.Expressions {
			q.Scopes = append(q.Scopes, Requirement{Scope: Scope(r.Scope), Operator: outrank.Operator(r.Operator), Values: r.Values})
		}
	}

	// spec.hard is read even if it is not used, so that its problems are reported.
	q.Hard = rd.amounts(object, "status.hard", w.Status.Hard)
	q.Used = rd.amounts(object, "status.used", w.Status.Used)
	if hard := rd.amounts(object, "spec.hard", w.Spec.Hard); w.Status.Hard == nil {
		q.Hard = hard
	}
	for _, p := range q.problems() {
		rd.add(object, p.Field, p.Text)
	}
	rd.quotas = append(rd.quotas, q)
	return nil
}

// amounts converts a list of amounts, and adds a problem for each that cannot be read. Nil stays nil.
func (rd *reader) amounts(object, field string, w manifest.Amounts) resource.List {
	if w == nil {
		return nil
	}
	l := resource.List{}
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if err := w[name].Err; err != nil {
			rd.add(object, fmt.Sprintf("%s.%s", field, name), err.Error())
			continue
		}
		l[resource.Name(name)] = w[name].Quantity
	}
	return l
}

// sorted returns the names in a map in ascending order.
func sorted[V any](m map[resource.Name]V) []resource.Name { return slices.Sorted(maps.Keys(m)) }
