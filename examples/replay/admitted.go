package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// admitted returns a case, which is a line of JSON, without the values that no API server accepts. The cases
// were drawn for the scheduler's own code, without an API server in front of it. That code ignores such
// values, and this module rejects them (rules 26.1.1 and 26.2.3), so leaving them out does not change the
// decision. There are two kinds: tolerations of the preemptor with an unknown operator, which tolerate
// nothing; and amounts in the resources of a pod as a whole that only containers may request, which do not
// count. A line without such values is returned unchanged.
func admitted(line []byte) ([]byte, error) {
	if !bytes.Contains(line, []byte(`"tolerations"`)) && !bytes.Contains(line, []byte(`"resources"`)) {
		return line, nil
	}

	var c map[string]json.RawMessage
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, err
	}

	changed, err := within(c, []string{"preemptor", "spec"}, dropTolerations)
	if err != nil {
		return nil, err
	}
	whole, err := within(c, []string{"preemptor", "spec", "resources"}, dropLevels)
	if err != nil {
		return nil, err
	}
	pods, err := eachOf(c, "pods", func(pod map[string]json.RawMessage) (bool, error) {
		return within(pod, []string{"spec", "resources"}, dropLevels)
	})

	if err != nil || !changed && !whole && !pods {
		return line, err
	}
	return json.Marshal(c)
}

// dropTolerations removes tolerations with unknown operators from a spec, and reports whether there were any.
func dropTolerations(spec map[string]json.RawMessage) (bool, error) {
	var all, kept []map[string]any
	if len(spec["tolerations"]) == 0 {
		return false, nil
	}
	if err := json.Unmarshal(spec["tolerations"], &all); err != nil {
		return false, err
	}

	for _, t := range all {
		if known(t["operator"]) {
			kept = append(kept, t)
		}
	}

	var err error
	spec["tolerations"], err = json.Marshal(kept)
	return len(kept) < len(all), err
}

// dropLevels removes the amounts that a pod as a whole cannot have from its resources. The lists stay, even
// if they become empty.
func dropLevels(resources map[string]json.RawMessage) (changed bool, err error) {
	for _, list := range []string{"requests", "limits"} {
		here, err := within(resources, []string{list}, func(amounts map[string]json.RawMessage) (bool, error) {
			before := len(amounts)
			maps.DeleteFunc(amounts, func(name string, _ json.RawMessage) bool {
				return name != "cpu" && name != "memory" && !strings.HasPrefix(name, "hugepages-")
			})
			return len(amounts) < before, nil
		})
		if err != nil {
			return false, err
		}
		changed = changed || here
	}
	return changed, nil
}

// eachOf calls change for each object of a list, and writes the list back if one has changed.
func eachOf(o map[string]json.RawMessage, list string, change func(map[string]json.RawMessage) (bool, error)) (changed bool, err error) {
	var all []map[string]json.RawMessage
	if len(o[list]) == 0 {
		return false, nil
	}
	if err := json.Unmarshal(o[list], &all); err != nil {
		return false, err
	}

	for _, one := range all {
		here, err := change(one)
		if err != nil {
			return false, err
		}
		changed = changed || here
	}

	if !changed {
		return false, nil
	}
	o[list], err = json.Marshal(all)
	return true, err
}

// known reports whether an API server knows the operator of a toleration.
func known(operator any) bool {
	return operator == nil || slices.Contains([]any{"", "Equal", "Exists", "Lt", "Gt"}, operator)
}

// within calls change for the object at a path, and writes it back if it has changed.
func within(o map[string]json.RawMessage, path []string, change func(map[string]json.RawMessage) (bool, error)) (bool, error) {
	if len(path) == 0 {
		return change(o)
	}
	text := o[path[0]]
	if len(text) == 0 {
		return false, nil
	}

	var below map[string]json.RawMessage
	if err := json.Unmarshal(text, &below); err != nil {
		return false, err
	}
	changed, err := within(below, path[1:], change)
	if err != nil || !changed {
		return false, err
	}
	o[path[0]], err = json.Marshal(below)
	return true, err
}
