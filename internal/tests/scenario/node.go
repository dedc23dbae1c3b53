package scenario

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

// Now is the time at which all scenarios are decided.
var Now = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

// Node reads the rest of the line as a node:
//
//	NAME [cpu=4] [memory=8Gi] [pods=110] [offers=(example.com/gpu=2 hugepages-2Mi=1Gi)]
//	    [labels=a=b,c=d] [taints=key=value:NoSchedule,key:NoExecute]
//	    [attach=driver:3] [lacks=driver,...] [declares=FEATURE,...] [spares=WHO,...] [cordoned]
//
// Without further words it has no cpu, 64Gi of memory and room for 110 pods.
func (l *Line) Node() *outrank.Node {
	n := &outrank.Node{
		Name:        l.Next("name of the node"),
		Allocatable: resource.MustList("cpu", "0", "memory", "64Gi", "pods", "110"),
	}
	options := Options{"labels=": Labels(&n.Labels)}
	for _, name := range filter.Names() {
		if said := words[name].node; said != nil {
			maps.Copy(options, said(l, n))
		}
	}
	l.Options(options)
	return n
}

// amount returns a setter that sets one amount of a list.
func amount(list resource.List, name resource.Name) Setter {
	return func(value string) error {
		q, err := resource.Parse(value)
		list[name] = q
		return err
	}
}

// amounts returns a setter for amounts of a list, given like (cpu=1 memory=2Gi).
func (l *Line) amounts(list resource.List) Setter {
	return func(value string) error { return l.within(value).addAmounts(list) }
}

// addAmounts reads the rest of the line as amounts, and adds them to a list.
func (l *Line) addAmounts(list resource.List) error {
	for l.More() {
		word := l.Next("amount")
		name, text, ok := strings.Cut(word, "=")
		if !ok {
			return fmt.Errorf("%q is not name=amount", word)
		}
		if err := amount(list, resource.Name(name))(text); err != nil {
			return err
		}
	}
	return l.Err()
}

// newAmounts is like amounts for a list that is nil unless the option is given.
func (l *Line) newAmounts(list *resource.List) Setter {
	return func(value string) error {
		*list = resource.List{}
		return l.amounts(*list)(value)
	}
}

// taints returns a setter that adds taints like key=value:NoSchedule,key:NoExecute.
func taints(list *[]outrank.Taint) Setter {
	return func(value string) error {
		for _, part := range parts(value, ',') {
			head, effect, _ := strings.Cut(part, ":")
			t := outrank.Taint{Effect: outrank.TaintEffect(effect)}
			t.Key, t.Value, _ = strings.Cut(head, "=")
			switch t.Effect {
			case outrank.NoSchedule, outrank.NoExecute, outrank.PreferNoSchedule:
			default:
				return fmt.Errorf("%q is not key[=value]:effect", part)
			}
			*list = append(*list, t)
		}
		return nil
	}
}

// tolerations returns a setter that adds tolerations. key=value:Effect has the operator Equal; key:Effect and
// key have Exists. The key "*" tolerates every taint, and without an effect all effects are tolerated.
func tolerations(list *[]outrank.Toleration) Setter {
	return func(value string) error {
		for _, part := range parts(value, ',') {
			head, effect, _ := strings.Cut(part, ":")
			t := outrank.Toleration{Operator: outrank.TolerationExists, Effect: outrank.TaintEffect(effect)}
			var equal bool
			t.Key, t.Value, equal = strings.Cut(head, "=")
			if equal {
				t.Operator = outrank.TolerationEqual
			}
			if t.Key == "*" {
				t.Key = ""
			}
			*list = append(*list, t)
		}
		return nil
	}
}

// attachLimits returns a setter for limits of attached volumes like driver:3,other:5.
func attachLimits(limits *map[string]int64) Setter {
	return func(value string) error {
		*limits = map[string]int64{}
		for _, part := range parts(value, ',') {
			driver, count, _ := strings.Cut(part, ":")
			n, err := strconv.ParseInt(count, 10, 64)
			if err != nil {
				return fmt.Errorf("%q is not driver:number", part)
			}
			(*limits)[driver] = n
		}
		return nil
	}
}
