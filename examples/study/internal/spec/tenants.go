package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// ClassLabel is the label with a pod's service class. Pods get it if budgets select them by class.
const ClassLabel = "service-class"

// Budget says how many pods of a service class have to stay ready.
type Budget struct {
	Class string
	Ready outrank.IntOrPercent
}

// Object returns the budget as an object of the cluster.
func (b *Budget) Object() *outrank.PodDisruptionBudget {
	ready := b.Ready
	return &outrank.PodDisruptionBudget{
		Name: "budget-" + strings.ToLower(b.Class), MinAvailable: &ready,
		Selector: &outrank.LabelSelector{MatchLabels: map[string]string{ClassLabel: b.Class}},
	}
}

// budgets parses the budgets of service classes.
func budgets(s *Setting, v string) error {
	return eachClass(v, func(class, value string) error {
		text, percent := strings.CutSuffix(value, "%")
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 || percent && n > 100 {
			return fmt.Errorf("class %s: %s is neither a number of pods nor a percentage", class, value)
		}
		s.Budgets = append(s.Budgets, Budget{class, outrank.IntOrPercent{Value: int32(n), Percent: percent}})
		return nil
	})
}

// Quotas are the shares of service classes. Each class is a queue in one cohort: it lends what it does not use,
// preempts its own pods of lower priority, and reclaims what it has lent from pods of any priority.
type Quotas struct {
	Style tenancy.Style
	// Shares are percentages, in the order of the class names.
	Shares []Share
}

// Share is the share of a class.
type Share struct {
	Class   string
	Percent float64
}

var styles = map[string]tenancy.Style{"kueue": tenancy.Kueue, "yunikorn": tenancy.YuniKorn}

// readQuotas parses the quotas of service classes, and the scheduler whose rules they follow.
func readQuotas(s *Setting, v string) error {
	q := &Quotas{}
	shares := v
	if name, rest, ok := strings.Cut(v, ":"); ok {
		if err := choose(name, styles, func(style tenancy.Style) { q.Style = style }); err != nil {
			return fmt.Errorf("before the colon %w", err)
		}
		shares = rest
	}

	err := eachClass(shares, func(class, value string) error {
		percent, err := strconv.ParseFloat(value, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("class %s: %s is no percentage", class, value)
		}
		q.Shares = append(q.Shares, Share{class, percent})
		return nil
	})
	if q.Shares != nil {
		slices.SortFunc(q.Shares, func(a, b Share) int { return strings.Compare(a.Class, b.Class) })
		s.Quotas = q
	}
	return err
}

// eachClass parses pairs such as LS=90,BE=10, and passes each to take. The value none has no pairs.
func eachClass(v string, take func(class, value string) error) error {
	if v == "none" {
		return nil
	}
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(v, ",") {
		class, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || class == "" || seen[class] {
			return fmt.Errorf("%q is not class=value, or there twice", pair)
		}
		seen[class] = true
		if err := take(class, value); err != nil {
			return err
		}
	}
	return nil
}

// Use makes a configuration decide by the quotas, as shares of all nodes together. A pod's class is the name of
// its priority class. Pods of other classes are not subject to quotas.
func (q *Quotas) Use(c *preemption.Config, nodes []*outrank.Node) error {
	tree, err := tenancy.NewTree(q.config(nodes))
	if err != nil {
		return err
	}
	rules, err := tenancy.New(tenancy.Options{Tree: tree, Style: q.Style, QueueOf: q.queueOf, Uses: usesOf()})
	if err != nil {
		return err
	}
	rules.Use(c)
	return nil
}

// config returns the queues with their quotas. A queue has its share of each resource of all nodes together,
// except places for pods.
func (q *Quotas) config(nodes []*outrank.Node) tenancy.Config {
	total := map[resource.Name]int64{}
	for _, n := range nodes {
		for name, quantity := range n.Allocatable {
			if name != resource.Pods {
				total[name] = resource.AddSat(total[name], resource.Amount(name, quantity))
			}
		}
	}

	var config tenancy.Config
	for _, share := range q.Shares {
		nominal := resource.List{}
		for name, amount := range total {
			nominal[name] = quantityOf(name, int64(float64(amount)*share.Percent/100))
		}
		config.Queues = append(config.Queues, tenancy.Queue{
			Name: share.Class, Cohort: "all", Quota: tenancy.Quota{Nominal: nominal},
			Policy: tenancy.Policy{Within: tenancy.Lower, Reclaim: tenancy.Anybody},
		})
	}
	return config
}

// queueOf returns the queue of a pod. It is empty for a pod that belongs to none.
func (q *Quotas) queueOf(p *outrank.Pod) string {
	if slices.ContainsFunc(q.Shares, func(s Share) bool { return s.Class == p.PriorityClassName }) {
		return p.PriorityClassName
	}
	return ""
}

// usesOf returns a function that returns the usage of a running pod. It caches the usage for all pods that
// share their containers, such as copies of a pod and the pods that replace it.
func usesOf() func(*outrank.Pod) resource.List {
	var known sync.Map // by *outrank.Container, the pod's first container
	return func(p *outrank.Pod) resource.List {
		if len(p.Containers) == 0 {
			return p.RunningRequests(outrank.DefaultRelease)
		}
		if l, ok := known.Load(&p.Containers[0]); ok {
			return l.(resource.List)
		}
		l := p.RunningRequests(outrank.DefaultRelease)
		known.Store(&p.Containers[0], l)
		return l
	}
}

// quantityOf returns the quantity of an amount in the units of [resource.Amount].
func quantityOf(name resource.Name, amount int64) resource.Quantity {
	if name == resource.CPU {
		return resource.NewMilli(amount)
	}
	return resource.New(amount)
}
