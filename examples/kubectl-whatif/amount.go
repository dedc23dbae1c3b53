package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	spell "github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/resource"
)

// amount writes a quantity as the page does.
func amount(name resource.Name, q resource.Quantity) string { return spell.Text(name, q) }

// amounts lists quantities as the page does.
func amounts(l resource.List) string { return spell.Texts(l) }

// moment writes a time as the page does.
func moment(t time.Time) string { return spell.Moment(t) }

// age writes the time since t as the page does.
func age(now, t time.Time) string { return spell.Age(now, t) }

// quantity is the inverse of resource.Amount.
func quantity(name resource.Name, amount int64) resource.Quantity {
	return spell.Quantity(name, amount)
}

// share is how much of a resource a pod with these requests takes. Every pod takes one place for pods.
func share(requests resource.List, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return requests.Amount(name)
}

// amountFrom parses an amount given in a flag. It refuses a negative one.
func amountFrom(text string) (resource.Quantity, error) {
	q, err := resource.Parse(text)
	if err != nil {
		return q, fmt.Errorf("%w; an amount is written like 500m, 2 or 8Gi%s", err, meantAmount(text))
	}
	if q.Sign() < 0 {
		return q, errors.New("an amount cannot be negative")
	}
	return q, nil
}

// meantAmount offers an amount with a unit that exists in place of one that does not: 8GB, 8gi and 8 GiB
// mean 8Gi. It is empty if nothing like that was meant.
func meantAmount(text string) string {
	m := regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([kKmMgGtTpPeE])(?:i|I)?(?:b|B)?$`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	if _, err := resource.Parse(m[1] + strings.ToUpper(m[2]) + "i"); err != nil {
		return ""
	}
	return "; did you mean " + m[1] + strings.ToUpper(m[2]) + "i?"
}
