package main

import (
	"time"

	spell "github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/resource"
)

// The amounts and times of the text are written as on the page.

func inBytes(name resource.Name) bool { return spell.InBytes(name) }

func amount(name resource.Name, q resource.Quantity) string { return spell.Text(name, q) }

func amounts(l resource.List) string { return spell.Texts(l) }

func moment(t time.Time) string { return spell.Moment(t) }

func age(now, t time.Time) string { return spell.Age(now, t) }
