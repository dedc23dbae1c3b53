package spec

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/simulator/sim"
)

// kubelets sets whether the run simulates kubelets, and with which options.
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

// kubeletOption sets one option of the kubelets.
func kubeletOption(k *sim.Kubelets, name, value string) error {
	switch name {
	case "order":
		return kubeletOrder(k, value)
	case "period":
		return kubeletTime(&k.Period, name, value)
	case "transition":
		return kubeletTime(&k.Transition, name, value)
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

// kubeletOrder sets which pods are evicted first for a critical pod.
func kubeletOrder(k *sim.Kubelets, value string) error {
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
}

// kubeletTime parses a time of the kubelets. It refuses 0, which stands for the default.
func kubeletTime(to *time.Duration, name, value string) error {
	if err := duration(value, to); err != nil || *to == 0 {
		return fmt.Errorf("%s is a time above 0 like 30s", name)
	}
	return nil
}
