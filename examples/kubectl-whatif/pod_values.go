package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// request takes in one amount that the pod asks for.
func (o *options) request(name resource.Name, text string) error {
	if !name.Counted() {
		return fmt.Errorf("%q is not counted by the scheduler; other resources have a domain, like nvidia.com/gpu", string(name))
	}
	q, err := resource.Parse(text)
	if err != nil {
		return fmt.Errorf("an amount is written like 500m, 2 or 8Gi: %w", err)
	}
	if q.Sign() < 0 {
		return errors.New("an amount cannot be negative")
	}
	if _, twice := o.requests[name]; twice {
		return fmt.Errorf("%s is given twice", name)
	}
	if o.requests == nil {
		o.requests = resource.List{}
	}
	o.requests[name] = q
	return nil
}

func (o *options) requestPair(text string) error {
	name, amount, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("write name=amount, like nvidia.com/gpu=1")
	}
	return o.request(resource.Name(name), amount)
}

func (o *options) setPriority(text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return errors.New("a priority is a whole number of 32 bits, like 1000")
	}
	o.priority = outrank.Priority(int32(n))
	return nil
}

func (o *options) setNow(text string) (err error) {
	if o.now, err = time.Parse(time.RFC3339, text); err != nil {
		return errors.New("a time is written like 2026-01-10T12:00:00Z")
	}
	if o.now.IsZero() {
		return errors.New("the year 1 is no time to ask about")
	}
	return nil
}

// pairs reads a=b,c=d.
func pairs(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value; write a=b,c=d", pair)
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		if err := labelProblem(key, value); err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, nil
}
