package sim_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Each of these gives an option that writes its value to a variable.

func asString(to *string) func(string) error {
	return func(value string) error {
		*to = value
		return nil
	}
}

func asDuration(to *time.Duration) func(string) error {
	return func(value string) (err error) {
		if *to, err = time.ParseDuration(value); err == nil && *to < 0 {
			return fmt.Errorf("%v is negative", *to)
		}
		return err
	}
}

func asNumber(to *int32) func(string) error {
	return func(value string) error {
		n, err := strconv.ParseInt(value, 10, 32)
		*to = int32(n)
		return err
	}
}

// asAmount writes one entry of a list.
func asAmount(list resource.List, name resource.Name) func(string) error {
	return func(value string) (err error) {
		list[name], err = resource.Parse(value)
		return err
	}
}

func asBytes(to *int64) func(string) error {
	return func(value string) error {
		q, err := resource.Parse(value)
		*to = resource.Amount(resource.Memory, q)
		return err
	}
}

// asLabels reads a=b,c=d.
func asLabels(to *map[string]string) func(string) error {
	return func(value string) error {
		*to = map[string]string{}
		for _, label := range strings.Split(value, ",") {
			key, v, ok := strings.Cut(label, "=")
			if !ok || key == "" {
				return fmt.Errorf("%q is not key=value", label)
			}
			(*to)[key] = v
		}
		return nil
	}
}

// asSelector reads labels that must all be there.
func asSelector(to **outrank.LabelSelector) func(string) error {
	return func(value string) error {
		*to = &outrank.LabelSelector{}
		return asLabels(&(*to).MatchLabels)(value)
	}
}

// asTerm reads labels/topology: pods with these labels, in the same domain of
// that node label. The label's key may have a slash in it, its value has none.
func asTerm(to *[]outrank.PodAffinityTerm) func(string) error {
	return func(value string) error {
		equal := strings.LastIndexByte(value, '=')
		slash := strings.IndexByte(value[equal+1:], '/')
		if equal < 0 || slash < 0 {
			return fmt.Errorf("%q is not labels/topology", value)
		}
		labels, topology := value[:equal+1+slash], value[equal+1+slash+1:]
		if topology == "" {
			return errors.New("no topology after the slash")
		}
		term := outrank.PodAffinityTerm{TopologyKey: topology}
		err := asSelector(&term.LabelSelector)(labels)
		*to = append(*to, term)
		return err
	}
}

func asPolicy(to *outrank.PreemptionPolicy) func(string) error {
	return func(value string) error {
		*to = outrank.PreemptionPolicy(value)
		if *to != outrank.PreemptNever && *to != outrank.PreemptLowerPriority {
			return fmt.Errorf("%q is neither %s nor %s", value, outrank.PreemptNever, outrank.PreemptLowerPriority)
		}
		return nil
	}
}

// asTaint reads key=value:effect.
func asTaint(to *[]outrank.Taint) func(string) error {
	return func(value string) error {
		taint, effect, ok := strings.Cut(value, ":")
		key, v, equal := strings.Cut(taint, "=")
		if !ok || !equal || effect != string(outrank.NoSchedule) && effect != string(outrank.NoExecute) {
			return fmt.Errorf("%q is not key=value:NoSchedule or key=value:NoExecute", value)
		}
		*to = append(*to, outrank.Taint{Key: key, Value: v, Effect: outrank.TaintEffect(effect)})
		return nil
	}
}

// asToleration reads key=value, of all effects.
func asToleration(to *[]outrank.Toleration) func(string) error {
	return func(value string) error {
		key, v, ok := strings.Cut(value, "=")
		if !ok {
			return fmt.Errorf("%q is not key=value", value)
		}
		*to = append(*to, outrank.Toleration{Key: key, Value: v})
		return nil
	}
}

// asCount reads a number of pods, or a share of them with a per cent sign.
func asCount(to **outrank.IntOrPercent) func(string) error {
	return func(value string) error {
		digits, percent := strings.CutSuffix(value, "%")
		*to = &outrank.IntOrPercent{Percent: percent}
		return asNumber(&(*to).Value)(digits)
	}
}
