package main

import (
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// QuantityFact says how the text of a quantity is understood.
type QuantityFact struct {
	In         string `json:"in"`
	OK         bool   `json:"ok"`
	Value      int64  `json:"value"`
	MilliValue int64  `json:"milliValue"`
	Canonical  string `json:"canonical,omitempty"`
	Format     string `json:"format,omitempty"`
	Sign       int    `json:"sign"`
	Error      string `json:"error,omitempty"`
}

// quantities reads the texts of the case.
func (c *Case) quantities() []QuantityFact {
	var out []QuantityFact
	for _, text := range c.Options.Quantities {
		q, err := resource.Parse(text)
		if err != nil {
			out = append(out, QuantityFact{In: text, Error: err.Error()})
			continue
		}
		out = append(out, QuantityFact{
			In: text, OK: true, Value: q.Value(), MilliValue: q.MilliValue(),
			Canonical: q.String(), Format: q.Format().String(), Sign: q.Sign(),
		})
	}
	return out
}

// SelectorFact says which label sets a selector matches.
type SelectorFact struct {
	Error   string `json:"error,omitempty"`
	Empty   bool   `json:"empty"`
	Matches []bool `json:"matches,omitempty"`
}

// selector matches the label sets of the case.
func (c *Case) selector() *SelectorFact {
	o := &c.Options
	m, err := o.Selector.Matcher()
	if err != nil {
		return &SelectorFact{Error: err.Error()}
	}
	out := &SelectorFact{Empty: m.Empty()}
	for _, labels := range o.LabelSets {
		out.Matches = append(out.Matches, m.Matches(labels))
	}
	return out
}

// PriorityFact says which priority a pod gets from its class.
type PriorityFact struct {
	Pod               string `json:"pod"`
	Priority          *int32 `json:"priority"`
	PriorityClassName string `json:"priorityClassName,omitempty"`
	PreemptionPolicy  string `json:"preemptionPolicy,omitempty"`
	Error             string `json:"error,omitempty"`
}

// priorities resolves the priority of each pod.
func (c *Case) priorities() ([]PriorityFact, error) {
	table, err := priority.NewTable(c.PriorityClasses)
	if err != nil {
		return nil, err
	}
	var out []PriorityFact
	for _, p := range c.Pods {
		if p == nil {
			return nil, errNull
		}
		r, err := table.Resolve(p)
		if err != nil {
			out = append(out, PriorityFact{Pod: string(p.Key()), Error: err.Error()})
			continue
		}
		out = append(out, PriorityFact{
			Pod: string(p.Key()), Priority: &r.Value,
			PriorityClassName: r.Class, PreemptionPolicy: string(r.Policy),
		})
	}
	return out, nil
}
