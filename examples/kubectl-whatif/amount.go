package main

import (
	"time"

	spell "github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/resource"
)

// The amounts and times of the text are written as on the page.

func amount(name resource.Name, q resource.Quantity) string { return spell.Text(name, q) }

func amounts(l resource.List) string { return spell.Texts(l) }

func moment(t time.Time) string { return spell.Moment(t) }

func age(now, t time.Time) string { return spell.Age(now, t) }

// quantity is the inverse of resource.Amount.
func quantity(name resource.Name, amount int64) resource.Quantity {
	return spell.Quantity(name, amount)
}

// share is the amount of a resource in a pod's requests; in the number of pods,
// every pod is one.
func share(requests resource.List, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return requests.Amount(name)
}
