package convert

import (
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"

	"github.com/outrank-go/outrank/resource"
)

// amounts converts a resource list. An empty list becomes nil.
func (ps *problems) amounts(l corev1.ResourceList, field string) resource.List {
	if len(l) == 0 {
		return nil
	}
	out := make(resource.List, len(l))
	for name, q := range l {
		amount, ok := simple(q)
		if !ok {
			var err error
			if amount, err = resource.Parse(q.String()); err != nil {
				ps.add(field+"."+string(name), "%v", err)
			}
		}
		out[resource.Name(name)] = amount
	}
	return out
}

// reported does the same for a list in a status, where an empty list means something else than a missing one.
func (ps *problems) reported(l corev1.ResourceList, field string) resource.List {
	if l != nil && len(l) == 0 {
		return resource.List{}
	}
	return ps.amounts(l, field)
}

// simple converts an amount in whole units or thousandths without formatting it, which covers nearly all
// amounts. It keeps the format.
func simple(q apiresource.Quantity) (resource.Quantity, bool) {
	v, whole := q.AsInt64()
	switch {
	case whole && q.Format == apiresource.BinarySI && v != 0 && v%1024 == 0:
		return resource.NewBinary(v), true
	case whole && (q.Format == apiresource.DecimalSI || q.Format == apiresource.BinarySI):
		return resource.New(v), true
	case q.Format != apiresource.DecimalSI:
		return resource.Quantity{}, false
	}
	milli := q.MilliValue()
	if exact := *apiresource.NewMilliQuantity(milli, apiresource.DecimalSI); exact.Cmp(q) != 0 {
		return resource.Quantity{}, false
	}
	return resource.NewMilli(milli), true
}
