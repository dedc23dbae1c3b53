package main

import "strings"

// formats are the values of --output.
var formats = []string{"text", "wide", "json", "yaml", "html"}

// formatNames lists the formats for a sentence.
func formatNames() string {
	last := len(formats) - 1
	return strings.Join(formats[:last], ", ") + " or " + formats[last]
}
