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

// wire is v1 ResourceQuota.
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

// expression is one entry of a scopeSelector.
type expression struct {
	Scope    string   `json:"scopeName"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// mostProblems is how many problems of an input are kept.
const mostProblems = 1000

// Read reads the quotas of what
//
//	kubectl get resourcequotas -A -o json
//
// prints, or of any other dump: objects of other kinds are passed over. Hard is
// status.hard; where a quota has no status yet, as in a manifest, it is spec.hard,
// and nothing is known of Used. Errors are those of r, and an *[outrank.InputError] with everything
// that is wrong, which is also about input without a single object or List and about a nil reader.
// Time is linear in the input. Memory, beside the quotas, is bounded by its largest object.
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

// reader collects what stands in an input.
type reader struct {
	quotas   []*Quota
	problems []outrank.Problem
	more     int // problems beyond mostProblems
}

// add adds a problem, and only counts it beyond mostProblems.
func (rd *reader) add(object, field, text string) {
	if len(rd.problems) >= mostProblems {
		rd.more++
		return
	}
	rd.problems = append(rd.problems, outrank.Problem{Object: object, Field: field, Text: text})
}

// item reads one object. What cannot be read is a problem, and the rest of the quota is checked all the same.
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

	for _, s := range w.Spec.Scopes {
		q.Scopes = append(q.Scopes, Requirement{Scope: Scope(s), Operator: outrank.Exists})
	}
	if selector := w.Spec.Selector; selector != nil {
		for _, r := range selector.Expressions {
			q.Scopes = append(q.Scopes, Requirement{Scope: Scope(r.Scope), Operator: outrank.Operator(r.Operator), Values: r.Values})
		}
	}

	// The amounts of spec.hard are read in any case, so that their problems are told.
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

// amounts returns a list of amounts, and adds a problem for each that cannot be read.
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

// sorted returns the names in a map, sorted.
func sorted[V any](m map[resource.Name]V) []resource.Name { return slices.Sorted(maps.Keys(m)) }
