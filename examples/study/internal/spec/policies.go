package spec

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"unicode"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// policies are the built-in policies, by name.
var policies = map[string]preemption.Config{
	"current": {}, "v1.13": {Variant: outrank.VariantV1_13}, "simplified": {Variant: outrank.VariantSimplified},
	// These go beyond kube-scheduler: the best set of victims on a node, no violation of a budget at all, and
	// budgets that are charged only for the victims.
	"exact":  {Victims: preemption.Exact{}},
	"strict": {Budgets: preemption.NeverViolate},
	"honest": {Budgets: preemption.ChargeVictims},
}

// registered are the policies that this process has registered, by name.
var registered struct {
	sync.Mutex
	policies map[string]func() preemption.Config
}

// Register adds a policy to those of this process. Programs call [run.Register] instead. Several goroutines may
// call it at once.
func Register(name string, config func() preemption.Config) error {
	if name == "" || len(name) > mostText || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%w: policy %.60q: a name has between 1 and %d bytes, all of them printable", outrank.ErrInvalid, name, mostText)
	}
	if config == nil {
		return fmt.Errorf("%w: policy %s: there is no function that makes its configuration", outrank.ErrInvalid, name)
	}

	made := config()
	if err := made.Validate(); err != nil {
		return fmt.Errorf("policy %s: %w", name, err)
	}

	registered.Lock()
	defer registered.Unlock()
	if _, taken := policies[name]; taken || registered.policies[name] != nil {
		return fmt.Errorf("%w: policy %s: there is one of that name", outrank.ErrInvalid, name)
	}
	if registered.policies == nil {
		registered.policies = map[string]func() preemption.Config{}
	}
	registered.policies[name] = config
	return nil
}

// policy sets the configuration of the policy with a name. The configuration of a registered policy is made
// anew for each run, which may change it.
func policy(s *Setting, v string) error {
	registered.Lock()
	own := maps.Clone(registered.policies)
	registered.Unlock()
	if config := own[v]; config != nil {
		s.Preemption = config()
		return nil
	}

	// The error about an unknown name also lists the registered policies.
	all := maps.Clone(policies)
	for name := range own {
		all[name] = preemption.Config{}
	}
	return choose(v, all, func(p preemption.Config) { s.Preemption = p })
}
