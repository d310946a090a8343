"""The workbench: where people look at sites as agents do, and label them."""
