package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/simulator/sim"
)

// kubelets sets whether there are kubelets, and their order.
func kubelets(s *Setting, v string) error {
	switch v {
	case "false":
		return nil
	case "true":
		s.Sim.Kubelets = &sim.Kubelets{}
		return nil
	}
	k, seen := &sim.Kubelets{}, map[string]bool{}
	for pair := range strings.SplitSeq(v, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if seen[name] {
			return fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if err := kubeletOption(k, name, value); err != nil {
			return err
		}
	}
	s.Sim.Kubelets = k
	return nil
}

func kubeletOption(k *sim.Kubelets, name, value string) error {
	switch name {
	case "order":
		switch value {
		case "class":
		case "priority":
			k.PriorityFirst = true
		case "best":
			k.Exact = true
		default:
			return fmt.Errorf("order is class, priority or best")
		}
		return nil
	case "period", "transition":
		to := &k.Period
		if name == "transition" {
			to = &k.Transition
		}
		if err := duration(value, to); err != nil || *to == 0 {
			return fmt.Errorf("%s is a time above 0 like 30s", name)
		}
		return nil
	case "retries":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("retries are a number from 1 on")
		}
		k.Retries = n
		return nil
	}
	return fmt.Errorf("it is false, true, or options: order, period, transition and retries, like order=best,period=30s")
}
