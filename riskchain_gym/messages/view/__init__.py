"""The rendered view: a message as it looks on its platform's surface, as one HTML document."""
