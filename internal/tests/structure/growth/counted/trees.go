package main

import (
	"fmt"

	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// trees returns configurations of tenants that repeat one thing n times, by name.
var trees = map[string]func(n int) tenancy.Config{
	"a chain of cohorts": func(n int) (c tenancy.Config) {
		for i := range n {
			c.Cohorts = append(c.Cohorts, tenancy.Cohort{Name: fmt.Sprint("c", i), Parent: fmt.Sprint("c", i+1)})
		}
		return c
	},
	"a circle of cohorts": func(n int) (c tenancy.Config) {
		for i := range n {
			c.Cohorts = append(c.Cohorts, tenancy.Cohort{Name: fmt.Sprint("c", i), Parent: fmt.Sprint("c", (i+1)%n)})
		}
		return c
	},
	"queues below a circle": func(n int) (c tenancy.Config) {
		c.Cohorts = []tenancy.Cohort{{Name: "a", Parent: "b"}, {Name: "b", Parent: "a"}}
		for i := range n {
			c.Queues = append(c.Queues, tenancy.Queue{Name: fmt.Sprint("q", i), Cohort: "a"})
		}
		return c
	},
	"queues of one cohort": func(n int) (c tenancy.Config) {
		for i := range n {
			c.Queues = append(c.Queues, tenancy.Queue{Name: fmt.Sprint("q", i), Cohort: "c", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "1")}})
		}
		return c
	},
	"a resource of each queue": func(n int) (c tenancy.Config) {
		for i := range n {
			c.Queues = append(c.Queues, tenancy.Queue{Name: fmt.Sprint("q", i), Quota: tenancy.Quota{Nominal: resource.MustList(fmt.Sprint("example.com/r", i), "1")}})
		}
		return c
	},
	"further rules": func(n int) tenancy.Config {
		rules := make([]tenancy.Selection, n)
		for i := range rules {
			rules[i].Name = fmt.Sprint("r", i)
		}
		return tenancy.Config{Queues: []tenancy.Queue{{Name: "q", Policy: tenancy.Policy{Further: rules}}}}
	},
}
