module github.com/outrank-go/outrank/internal/tests/structure

go 1.25.0

require (
	github.com/outrank-go/outrank v0.0.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace github.com/outrank-go/outrank => ../../..
